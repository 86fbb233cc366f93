//! One symbol with its body, wherever it is defined.

use forebay_domain::text::{cut, number};
use forebay_skeleton::{Document, language_of};
use serde_json::{Value, json};

use super::targets::{Files, Target, Targets};
use crate::files_at_work::AtWork;
use crate::render::budgeted::Budgeted;
use crate::repository::{names, walk};
use crate::source_file::{Access, SourceFile, locate};
use crate::{Answer, App, AppError, Call};

/// What stands below the bodies.
const FRAME_BYTES: usize = 160;
/// Names that are offered where one is not found.
const OFFERED: usize = 6;

pub(super) fn answer(
    app: &App,
    paths: &[String],
    symbol: &str,
    budget: u64,
    call: &Call,
) -> Result<Answer, AppError> {
    let files = match Targets::of(app, paths, call)? {
        Targets::Files(files) => files,
        Targets::Repository => defining(app, symbol, call)?,
    };
    let bodies: Vec<Body<'_>> =
        files.texts.iter().flat_map(|target| Body::all(target, symbol)).collect();
    if bodies.is_empty() {
        return Err(not_found(&files, symbol));
    }
    note(app, &bodies, symbol)?;
    Ok(shown(&bodies, budget))
}

/// The files of the repository that define a name like the symbol's last.
fn defining(app: &App, symbol: &str, call: &Call) -> Result<Files, AppError> {
    let walked = walk(app, app.root())?;
    let names = names(app, &walked.files);
    let last = last_name(symbol);
    let mut files = Vec::new();
    for path in names.defining(last) {
        let place = locate(app, &app.root().join(path).to_string_lossy(), Access::Read, call)?;
        files.push(Target { file: SourceFile::read(&place)?, place });
    }
    Ok(Files { texts: files, passed_over: 0, are_named: false })
}

fn last_name(symbol: &str) -> &str {
    symbol.trim().trim_end_matches("()").rsplit(['.', ':', '#', '/']).next().unwrap_or(symbol)
}

/// A definition of the symbol.
struct Body<'a> {
    target: &'a Target,
    lines: (usize, usize),
    text: &'a str,
}

impl<'a> Body<'a> {
    fn all(target: &'a Target, symbol: &str) -> Vec<Self> {
        let text = target.file.text();
        let language = language_of(&target.place.shown, text.as_bytes());
        let document = language.and_then(|language| Document::parse(text, language).ok());
        let ranges = document.map(|document| document.symbol(symbol)).unwrap_or_default();
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        ranges
            .into_iter()
            .map(|range| Self {
                target,
                lines: (line(range.start), line(range.end.saturating_sub(1).max(range.start))),
                text: &text[range],
            })
            .collect()
    }

    fn head(&self) -> String {
        format!("{} lines {}-{}", self.target.place.shown, self.lines.0, self.lines.1)
    }
}

fn shown(bodies: &[Body<'_>], budget: u64) -> Answer {
    let mut text = Budgeted::new(budget);
    text.keep_back(FRAME_BYTES);
    let mut left_out = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for body in bodies {
        let whole = format!("{}\n{}", body.head(), body.text.trim_end());
        if text.push(&whole) {
            data.push(
                json!({ "path": body.target.place.shown, "lines": body.lines, "text": body.text }),
            );
        } else {
            left_out.push(body);
        }
    }
    if let [body] = bodies
        && data.is_empty()
    {
        text.push_cut(&format!("{}\n{}", body.head(), body.text));
    }
    text.release();
    if let Some(first) = left_out.first() {
        let count = number::counted(left_out.len() as u64, "definition");
        let (path, (from, to)) = (&first.target.place.shown, first.lines);
        let how = format!("context_read {} lines={from}-{to}", cut::prefix(path, 80));
        text.push_cut(&format!("left out or cut: {count}; {how}"));
    }
    let raw: u64 = bodies.iter().map(|body| body.target.file.bytes).sum();
    Answer::new(text.into_text(), json!({ "definitions": data, "left_out": left_out.len() }))
        .instead_of(raw)
}

/// What was asked for ranks first in later maps.
fn note(app: &App, bodies: &[Body<'_>], symbol: &str) -> Result<(), AppError> {
    let at_work = AtWork::of(app)?;
    let symbols = [last_name(symbol).to_owned()];
    for body in bodies.iter().take(3) {
        let tokens = forebay_domain::tokens::of(body.text);
        at_work.note_skeleton(&body.target.place, &body.target.file, tokens, &symbols)?;
    }
    Ok(())
}

fn not_found(files: &Files, symbol: &str) -> AppError {
    let wanted = last_name(symbol).to_lowercase();
    let mut alike: Vec<String> = Vec::new();
    for target in &files.texts {
        let text = target.file.text();
        let Some(language) = language_of(&target.place.shown, text.as_bytes()) else { continue };
        let Ok(document) = Document::parse(text, language) else { continue };
        let names = document.symbols().into_iter().map(|symbol| symbol.name);
        alike.extend(names.filter(|name| {
            let name = name.to_lowercase();
            name.len() > 1 && (name.contains(&wanted) || wanted.contains(&name))
        }));
    }
    alike.sort_unstable();
    alike.dedup();
    alike.truncate(OFFERED);
    let symbol: String = symbol.chars().take(80).collect();
    let hint = match alike.as_slice() {
        [] => "context_peek shows what there is; names stand as in the source".to_owned(),
        names => format!("alike: {}", names.join(", ")),
    };
    AppError::not_found(format!("nothing is called `{symbol}` there"), hint)
}
