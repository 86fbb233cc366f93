//! Where a parser met what it did not expect.
//!
//! A tree tells what was skipped to go on, and that may begin at the first line of a file. The parser knows better
//! where it was in trouble, and says so only to a log.

use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter::{LogType, Parser};

use crate::document::tree_by;
use crate::language::Language;

/// Larger texts are not parsed again with a log.
const LARGEST: usize = 128 * 1024;
/// More places tell nobody more.
const MOST: usize = 20;

/// The offsets where a text went on in a way that no parse could follow, in order.
pub(super) fn places(source: &str, language: &Language) -> Vec<usize> {
    if source.len() > LARGEST {
        return Vec::new();
    }
    let log = Arc::new(Mutex::new(Log::default()));
    let mut parser = Parser::new();
    let writer = Arc::clone(&log);
    parser.set_logger(Some(Box::new(move |kind, message| {
        if kind == LogType::Parse {
            writer.lock().unwrap_or_else(PoisonError::into_inner).take(message);
        }
    })));
    let _ = tree_by(parser, source, language, None);
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.places.iter().map(|place| offset(source, *place)).collect()
}

/// What is remembered of a log.
#[derive(Default)]
struct Log {
    /// Row and column that the parser is at.
    at: (usize, usize),
    /// The furthest place at which one of its attempts gave up, since the last time all had.
    given_up: Option<(usize, usize)>,
    places: Vec<(usize, usize)>,
}

impl Log {
    fn take(&mut self, message: &str) {
        if message.starts_with("process ") {
            self.at = (number_after(message, "row:"), number_after(message, "col:"));
        } else if message.starts_with("detect_error") {
            self.given_up = self.given_up.max(Some(self.at));
        } else if message.starts_with("resume version") && self.places.len() < MOST {
            // Only when no attempt is left does it go on with one that gave up.
            self.places.extend(self.given_up.take());
        }
    }
}

fn number_after(message: &str, word: &str) -> usize {
    let digits = message.split(word).nth(1).unwrap_or_default();
    let digits = digits.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// The offset of what follows a place.
fn offset(source: &str, (row, column): (usize, usize)) -> usize {
    let line = source.split_inclusive('\n').take(row).map(str::len).sum::<usize>();
    let at = source.floor_char_boundary((line + column).min(source.len()));
    let rest = &source[at..];
    at + rest.len() - rest.trim_start().len()
}
