//! What the tools that read and edit the project's files share; each tool is in `tools`.
//!
//! - `source_file`: a file within the project and the rules, as text with its encoding and line endings;
//! - `occurrences`, `closest_match`, `diff`, `syntax`: where a text occurs, what is closest to it, what changed;
//! - `stale`: refuses to overwrite a version the caller has not seen;
//! - `working_set`: the files a session works on;
//! - `skeletons`, `repository`: cached skeletons, and the names a repository's files define and use.

pub(crate) mod closest_match;
pub(crate) mod diff;
pub(crate) mod occurrences;
pub(crate) mod repository;
pub(crate) mod skeletons;
pub(crate) mod source_file;
pub(crate) mod stale;
pub(crate) mod syntax;
pub mod working_set;

use crate::next_call::NextCall;

/// Lines of context quoted around a change.
const CONTEXT_LINES: usize = 1;

/// Changes of one edit that are quoted; the others look alike.
const MAX_QUOTED_CHANGES: usize = 3;

/// Quotes the changed lines of a text with their numbers, in at most about `bytes` bytes.
pub(crate) fn shown(text: &str, changed: &[(usize, usize)], bytes: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut size, mut next) = (0, 1);
    for (first, last) in changed.iter().take(MAX_QUOTED_CHANGES) {
        let first = first.saturating_sub(CONTEXT_LINES).max(next);
        for line in numbered(text, first, last + CONTEXT_LINES) {
            size += line.len() + 1;
            if size > bytes {
                lines.push(format!("... {} shows the rest", NextCall::new("context_read")));
                return lines.join("\n");
            }
            lines.push(line);
        }
        next = last + CONTEXT_LINES + 1;
    }
    if let Some(more) = changed.len().checked_sub(MAX_QUOTED_CHANGES).filter(|more| *more > 0) {
        lines.push(format!("... and {more} more"));
    }
    lines.join("\n")
}

/// Returns the line number of an offset, starting at 1.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Formats lines with their numbers.
fn numbered(text: &str, first: usize, last: usize) -> Vec<String> {
    const WIDTH: usize = 160;
    let lines = text
        .lines()
        .enumerate()
        .skip(first.saturating_sub(1))
        .take((last + 1).saturating_sub(first));
    let cut = |line: &str| match forebay_text::cut::prefix(line, WIDTH) {
        shown if shown.len() < line.len() => format!("{shown}…"),
        shown => shown.to_owned(),
    };
    lines.map(|(index, line)| format!("{}| {}", index + 1, cut(line))).collect()
}
