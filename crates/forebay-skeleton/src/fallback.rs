//! Outline by indentation, for texts without a usable grammar.

use crate::document::ParseError;
use crate::language::Language;
use crate::skeleton::{Skeleton, SkeletonStatus};

/// Further lines are omitted.
const MAX_LINES: usize = 200;
/// Longer lines are cut.
const MAX_LINE_BYTES: usize = 120;

/// Outlines a text by the lines that have others indented below them.
pub(crate) fn skeleton(source: &str, failed: Option<(&'static Language, ParseError)>) -> Skeleton {
    let mut text = String::new();
    let headings: Vec<&str> = headings(source);
    for line in headings.iter().take(MAX_LINES) {
        let cut = line.floor_char_boundary(MAX_LINE_BYTES);
        text.push_str(line[..cut].trim_end());
        text.push_str(if cut < line.len() { "...\n" } else { "\n" });
    }
    if headings.len() > MAX_LINES {
        text.push_str(&format!("... ({} more lines)\n", headings.len() - MAX_LINES));
    }
    let status = SkeletonStatus::Fallback(failed.map(|(_, reason)| reason));
    Skeleton::new(text, Vec::new(), status)
}

/// Returns the lines of the two outermost levels that have others indented below them.
fn headings(source: &str) -> Vec<&str> {
    let lines: Vec<&str> = source.lines().filter(|line| !line.trim().is_empty()).collect();
    let next = lines.iter().skip(1).map(Some).chain([None]);
    let opens = lines.iter().zip(next).filter(|(line, next)| {
        let depth = indent(line);
        depth <= 4 && next.is_some_and(|next| indent(next) > depth) && has_text(line)
    });
    opens.map(|(line, _)| *line).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn has_text(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}
