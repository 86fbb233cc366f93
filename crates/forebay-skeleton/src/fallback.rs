//! An outline by indentation, for texts that no grammar reads.

use crate::document::NotParsed;
use crate::language::Language;
use crate::skeleton::{Skeleton, State};

/// Lines shown at most; a text without structure is not retold.
const MOST_LINES: usize = 200;
/// Longer lines are cut.
const WIDTH: usize = 120;

/// The lines that others are indented under, and those that stand at the margin beside them.
pub(crate) fn skeleton(source: &str, tried: Option<(&'static Language, NotParsed)>) -> Skeleton {
    let mut text = String::new();
    let headings: Vec<&str> = headings(source);
    for line in headings.iter().take(MOST_LINES) {
        let cut = line.floor_char_boundary(WIDTH);
        text.push_str(line[..cut].trim_end());
        text.push_str(if cut < line.len() { "...\n" } else { "\n" });
    }
    if headings.len() > MOST_LINES {
        text.push_str(&format!("... ({} more lines)\n", headings.len() - MOST_LINES));
    }
    let state = State::Fallback(tried.map(|(_, reason)| reason));
    Skeleton::new(text, Vec::new(), state)
}

/// Lines at the two outermost levels that open something.
fn headings(source: &str) -> Vec<&str> {
    let lines: Vec<&str> = source.lines().filter(|line| !line.trim().is_empty()).collect();
    let next = lines.iter().skip(1).map(Some).chain([None]);
    let opens = lines.iter().zip(next).filter(|(line, next)| {
        let own = indent(line);
        own <= 4 && next.is_some_and(|next| indent(next) > own) && is_telling(line)
    });
    opens.map(|(line, _)| *line).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_telling(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}
