//! One symbol with its body, wherever it is defined.

use forebay_skeleton::{Document, SymbolKind, SymbolLocation, detect_language, last_segment};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use super::targets::{Files, Target, Targets};
use crate::edit::repository::{names, walk};
use crate::edit::source_file::{Access, SourceFile, lines_told, locate};
use crate::edit::working_set::AtWork;
use crate::render::budgeted::Budgeted;
use crate::{Answer, App, AppError, Call};

/// What stands below the bodies.
const FRAME_BYTES: usize = 160;
/// Names that are offered where one is not found.
const OFFERED: usize = 6;
/// Files that are searched for a name that no file is known to define.
const MOST_MENTIONING: usize = 60;

pub(super) fn answer(
    app: &App,
    paths: &[String],
    symbol: &str,
    budget: u64,
    call: &Call,
) -> Result<Answer, AppError> {
    if symbol.trim().is_empty() {
        return Err(AppError::bad_input("symbol is empty", "give a name, for example Pool::take"));
    }
    let files = match Targets::of(app, paths, call)? {
        Targets::Files(files) => files,
        Targets::Repository => defining(app, symbol, call)?,
    };
    let mut bodies: Vec<Body<'_>> =
        files.texts.iter().flat_map(|target| Body::all(target, symbol)).collect();
    // What a type is comes before what it can do.
    bodies.sort_by_key(|body| body.is_implementation);
    if bodies.is_empty() {
        return Err(not_found(&files, symbol));
    }
    note(app, &bodies, symbol)?;
    Ok(shown(&bodies, budget))
}

/// The files of the repository that define the symbol, as far as the map knows; where it knows none, those that
/// have the name somewhere.
fn defining(app: &App, symbol: &str, call: &Call) -> Result<Files, AppError> {
    let walked = walk(app, app.root())?;
    let names = names(app, &walked.files);
    let last = last_segment(symbol);
    let known = targets(app, &names.files_defining(last), call)?;
    if known.iter().any(|target| !Body::all(target, symbol).is_empty()) {
        return Ok(Files { texts: known, ..Files::default() });
    }
    let mut mentioning = names.files_referencing(last);
    mentioning.truncate(MOST_MENTIONING);
    let texts = targets(app, &mentioning, call)?;
    Ok(Files { texts, ..Files::default() })
}

fn targets(app: &App, paths: &[&str], call: &Call) -> Result<Vec<Target>, AppError> {
    let target = |path: &&str| {
        let place = locate(app, &app.root().join(path).to_string_lossy(), Access::Read, call)?;
        Ok(Target { file: SourceFile::read(&place)?, place })
    };
    paths.iter().map(target).collect()
}

/// A definition of the symbol.
struct Body<'a> {
    target: &'a Target,
    lines: (usize, usize),
    text: &'a str,
    /// How much of the text documents it.
    docs: usize,
    is_implementation: bool,
}

impl<'a> Body<'a> {
    fn all(target: &'a Target, symbol: &str) -> Vec<Self> {
        let text = target.file.text();
        let language = detect_language(&target.place.shown, text.as_bytes());
        let document = language.and_then(|language| Document::parse(text, language).ok());
        let shown = &target.place.shown;
        let found =
            document.map(|document| document.find_symbol(symbol, shown)).unwrap_or_default();
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        found
            .into_iter()
            .map(|SymbolLocation { bytes, start, kind }| Self {
                target,
                lines: (line(bytes.start), line(bytes.end.saturating_sub(1).max(bytes.start))),
                docs: start - bytes.start,
                is_implementation: kind == SymbolKind::Impl,
                text: &text[bytes],
            })
            .collect()
    }

    /// `src/pool.rs lines 10-14` and the text.
    fn whole(&self) -> String {
        self.quoted(self.lines.0, self.text)
    }

    fn without_docs(&self) -> String {
        let (docs, own) = self.text.split_at(self.docs);
        self.quoted(self.lines.0 + docs.matches('\n').count(), own)
    }

    fn quoted(&self, first: usize, text: &str) -> String {
        let lines = lines_told(first, self.lines.1);
        format!("{} {lines}\n{}", self.target.place.shown, text.trim_end())
    }
}

fn shown(bodies: &[Body<'_>], budget: u64) -> Answer {
    let mut text = Budgeted::new(budget);
    text.keep_back(FRAME_BYTES);
    let mut left_out = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        if text.push(&body.whole()) || text.push(&body.without_docs()) {
            data.push(
                json!({ "path": body.target.place.shown, "lines": body.lines, "text": body.text }),
            );
            continue;
        }
        left_out.push(body);
        if index == 0 {
            // The first is what was asked for most likely, so its beginning says more than the others.
            text.push_cut(&body.without_docs());
            left_out.extend(&bodies[1..]);
            break;
        }
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
    let symbols = [last_segment(symbol).to_owned()];
    for body in bodies.iter().take(3) {
        let tokens = forebay_domain::tokens::of(body.text);
        at_work.note_skeleton(&body.target.place, &body.target.file, tokens, &symbols)?;
    }
    Ok(())
}

fn not_found(files: &Files, symbol: &str) -> AppError {
    let wanted = last_segment(symbol).to_lowercase();
    let mut alike: Vec<String> = Vec::new();
    for target in &files.texts {
        let text = target.file.text();
        let Some(language) = detect_language(&target.place.shown, text.as_bytes()) else {
            continue;
        };
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
