//! An indexed source file reduced to its definitions, to be shown beside it.

use forebay_domain::{Entry, EntryKind};
use forebay_skeleton::{
    Language, SkeletonOptions, SkeletonStatus, Verbosity, detect_language, skeleton,
};
use forebay_text::number;
use serde_json::{Value, json};

use super::{entry, shown};
use crate::{App, AppError};

/// Larger files are not parsed here.
const MAX_BYTES: u64 = 1024 * 1024;
/// Lines and symbols that are returned.
const MAX_LINES: usize = 3_000;

/// Returns the name of the language of a source; null if it has no skeleton.
pub(super) fn language_name(entry: &Entry) -> Option<&'static str> {
    language(entry).map(Language::name)
}

/// Returns the skeleton of a source, line by line, and where each symbol is.
pub fn of_source(app: &App, reference: &str) -> Result<Value, AppError> {
    let (store, found) = entry::find(app, reference)?;
    let language = language(&found).ok_or_else(|| {
        AppError::bad_input("the entry is no source file with a skeleton", "read its lines")
    })?;
    if found.bytes > MAX_BYTES {
        let message = format!("{} is too large to be parsed here", number::bytes(found.bytes));
        return Err(AppError::bad_input(message, "read its lines, or forebay peek PATH"));
    }
    let mut raw = Vec::with_capacity(found.bytes as usize);
    store.read(found.reference, 0, &mut |piece| {
        raw.extend_from_slice(piece);
        true
    })?;
    let options = SkeletonOptions { verbosity: Verbosity::Standard, ..SkeletonOptions::default() };
    let made = skeleton(&String::from_utf8_lossy(&raw), Some(language), options);
    let lines: Vec<&str> = made.text.lines().take(MAX_LINES).collect();
    let symbols: Vec<Value> = made
        .symbols
        .iter()
        .take(MAX_LINES)
        .map(
            |one| json!({ "name": one.name, "kind": one.kind.as_str(), "line": one.lines.start() }),
        )
        .collect();
    Ok(shown::data(json!({
        "language": language.name(),
        "remark": remark(made.status),
        "lines": lines,
        "has_more": made.text.lines().count() > lines.len(),
        "symbols": symbols,
    })))
}

/// Only what was indexed from a file has a name that tells its language.
fn language(entry: &Entry) -> Option<&'static Language> {
    let is_source = entry.kind == EntryKind::Source;
    is_source.then(|| detect_language(&entry.title, b"")).flatten()
}

/// What a reader has to know of how it was made.
fn remark(status: SkeletonStatus) -> Option<String> {
    match status {
        SkeletonStatus::Parsed | SkeletonStatus::Generated => None,
        SkeletonStatus::Partial { line } => {
            Some(format!("syntax error in line {line}: some definitions may be missing"))
        }
        SkeletonStatus::Fallback(_) => Some("not parsed: an outline by indentation".to_owned()),
        SkeletonStatus::Minified => Some("minified: no definitions are shown".to_owned()),
    }
}
