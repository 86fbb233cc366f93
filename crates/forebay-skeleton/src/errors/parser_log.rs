//! Error positions from the parser's log.
//!
//! A tree only has the text that was skipped, which may start at the first line of a file. The log has the position
//! where the parser detected the error.

use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter::{LogType, Parser};

use crate::document::parse_tree_with;
use crate::language::Language;

/// Larger texts are not parsed again with a logger.
const MAX_SOURCE_BYTES: usize = 128 * 1024;
/// Offsets returned per file.
const MAX_OFFSETS: usize = 20;

/// Returns the offsets at which all parse versions failed, in order.
pub(super) fn error_offsets(source: &str, language: &Language) -> Vec<usize> {
    if source.len() > MAX_SOURCE_BYTES {
        return Vec::new();
    }
    let log = Arc::new(Mutex::new(ParserLog::default()));
    let mut parser = Parser::new();
    let writer = Arc::clone(&log);
    parser.set_logger(Some(Box::new(move |kind, message| {
        if kind == LogType::Parse {
            writer.lock().unwrap_or_else(PoisonError::into_inner).record(message);
        }
    })));
    let _ = parse_tree_with(parser, source, language, None);
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.positions.iter().map(|position| offset(source, *position)).collect()
}

/// The state of a parser, as its log messages report it.
#[derive(Default)]
struct ParserLog {
    /// Row and column of the current token.
    at: (usize, usize),
    /// The furthest position at which a parse version failed since the last recovery.
    given_up: Option<(usize, usize)>,
    positions: Vec<(usize, usize)>,
}

impl ParserLog {
    fn record(&mut self, message: &str) {
        if message.starts_with("process ") {
            self.at = (number_after(message, "row:"), number_after(message, "col:"));
        } else if message.starts_with("detect_error") {
            self.given_up = self.given_up.max(Some(self.at));
        } else if message.starts_with("resume version") && self.positions.len() < MAX_OFFSETS {
            // The parser resumes a paused version only after all versions have failed.
            self.positions.extend(self.given_up.take());
        }
    }
}

fn number_after(message: &str, word: &str) -> usize {
    let digits = message.split(word).nth(1).unwrap_or_default();
    let digits = digits.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// Returns the offset of the first text at or after a position.
fn offset(source: &str, (row, column): (usize, usize)) -> usize {
    let line = source.split_inclusive('\n').take(row).map(str::len).sum::<usize>();
    let at = source.floor_char_boundary((line + column).min(source.len()));
    let rest = &source[at..];
    at + rest.len() - rest.trim_start().len()
}
