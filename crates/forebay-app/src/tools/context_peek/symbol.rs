//! The bodies of a symbol's definitions.

use forebay_skeleton::{Document, SymbolKind, SymbolLocation, detect_language, last_segment};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use super::targets::{Files, Target, Targets};
use crate::edit::repository::{names, walk};
use crate::edit::source_file::{Access, SourceFile, line_range, locate};
use crate::edit::working_set::SessionFiles;
use crate::next_call::NextCall;
use crate::render::budgeted::BudgetedText;
use crate::{Answer, App, AppError, Call};

/// Bytes reserved for the remark below the bodies.
const REMARK_BYTES: usize = 160;
/// Similar names suggested if the symbol is not found.
const MAX_SUGGESTIONS: usize = 6;
/// Files searched for a name that no file is known to define.
const MAX_MENTIONING_FILES: usize = 60;

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
    let files = match Targets::resolve(app, paths, call)? {
        Targets::Files(files) => files,
        Targets::Repository => find_defining_files(app, symbol, call)?,
    };
    let mut bodies: Vec<Body<'_>> =
        files.texts.iter().flat_map(|target| Body::all(target, symbol)).collect();
    // A type's definition comes before its impl blocks.
    bodies.sort_by_key(|body| body.is_implementation);
    if bodies.is_empty() {
        return Err(not_found(&files, symbol));
    }
    track(app, &bodies, symbol)?;
    Ok(render(&bodies, budget))
}

/// Reads the repository's files that define the symbol according to the map, or else those that mention it.
fn find_defining_files(app: &App, symbol: &str, call: &Call) -> Result<Files, AppError> {
    let walked = walk(app, app.root())?;
    let names = names(app, &walked.files);
    let last = last_segment(symbol);
    let defining = targets(app, &names.files_defining(last), call)?;
    if defining.iter().any(|target| !Body::all(target, symbol).is_empty()) {
        return Ok(Files { texts: defining, ..Files::default() });
    }
    let mut mentioning = names.files_referencing(last);
    mentioning.truncate(MAX_MENTIONING_FILES);
    let texts = targets(app, &mentioning, call)?;
    Ok(Files { texts, ..Files::default() })
}

fn targets(app: &App, paths: &[&str], call: &Call) -> Result<Vec<Target>, AppError> {
    let target = |path: &&str| {
        let location = locate(app, &app.root().join(path).to_string_lossy(), Access::Read, call)?;
        Ok(Target { file: SourceFile::read(&location)?, location })
    };
    paths.iter().map(target).collect()
}

/// A definition of the symbol.
struct Body<'a> {
    target: &'a Target,
    lines: (usize, usize),
    text: &'a str,
    /// Bytes of its doc comment.
    docs: usize,
    is_implementation: bool,
}

impl<'a> Body<'a> {
    fn all(target: &'a Target, symbol: &str) -> Vec<Self> {
        let text = target.file.text();
        let language = detect_language(&target.location.shown, text.as_bytes());
        let document = language.and_then(|language| Document::parse(text, language).ok());
        let shown = &target.location.shown;
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
        self.format(self.lines.0, self.text)
    }

    fn without_docs(&self) -> String {
        let (docs, own) = self.text.split_at(self.docs);
        self.format(self.lines.0 + docs.matches('\n').count(), own)
    }

    fn format(&self, first: usize, text: &str) -> String {
        let lines = line_range(first, self.lines.1);
        format!("{} {lines}\n{}", self.target.location.shown, text.trim_end())
    }
}

fn render(bodies: &[Body<'_>], budget: u64) -> Answer {
    let mut text = BudgetedText::new(budget);
    text.reserve(REMARK_BYTES);
    let mut left_out = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        if text.push(&body.whole()) || text.push(&body.without_docs()) {
            data.push(
                json!({ "path": body.target.location.shown, "lines": body.lines, "text": body.text }),
            );
            continue;
        }
        left_out.push(body);
        if index == 0 {
            // The first is the most likely one, so its start is more useful than the others.
            text.push_cut(&body.without_docs());
            left_out.extend(&bodies[1..]);
            break;
        }
    }
    text.release();
    if let Some(first) = left_out.first() {
        let count = number::counted(left_out.len() as u64, "definition");
        let (path, (from, to)) = (&first.target.location.shown, first.lines);
        let how = NextCall::new("context_read")
            .on(cut::prefix(path, 80))
            .with("lines", format!("{from}-{to}"));
        text.push_cut(&format!("left out or cut: {count}; {how}"));
    }
    Answer::new(text.into_text(), json!({ "definitions": data, "left_out": left_out.len() }))
}

/// Adds the symbol to the working set, so that it ranks first in later maps.
fn track(app: &App, bodies: &[Body<'_>], symbol: &str) -> Result<(), AppError> {
    let at_work = SessionFiles::new(app)?;
    let symbols = [last_segment(symbol).to_owned()];
    for body in bodies.iter().take(3) {
        at_work.note_skeleton(&body.target.location, &body.target.file, None, &symbols)?;
    }
    Ok(())
}

fn not_found(files: &Files, symbol: &str) -> AppError {
    let name = last_segment(symbol).to_lowercase();
    let mut similar: Vec<String> = Vec::new();
    for target in &files.texts {
        let text = target.file.text();
        let Some(language) = detect_language(&target.location.shown, text.as_bytes()) else {
            continue;
        };
        let Ok(document) = Document::parse(text, language) else { continue };
        let names = document.symbols().into_iter().map(|symbol| symbol.name);
        similar.extend(names.filter(|other| {
            let other = other.to_lowercase();
            other.len() > 1 && (other.contains(&name) || name.contains(&other))
        }));
    }
    similar.sort_unstable();
    similar.dedup();
    similar.truncate(MAX_SUGGESTIONS);
    let symbol: String = symbol.chars().take(80).collect();
    let hint = match similar.as_slice() {
        [] => format!(
            "{} lists the symbols; spell it as in the source",
            NextCall::new("context_peek").in_error()
        ),
        names => format!("similar: {}", names.join(", ")),
    };
    AppError::not_found(format!("no symbol `{symbol}` found"), hint)
}
