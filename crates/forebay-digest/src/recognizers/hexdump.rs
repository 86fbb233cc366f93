//! Dumps of bytes (`hexdump`, `xxd`, `od`): which offsets they show.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "hexdump, xxd, od",
    keeps: "first and last offset, as printed",
    commands: &["hexdump", "xxd", "od", "hd"],
    scope: Scope::Whole(claims),
    create: || Box::<HexDump>::default(),
};

/// Fewer rows may be something else.
const MIN_ROWS: usize = 3;

/// Offsets have at least this many digits.
const MIN_OFFSET_DIGITS: usize = 6;

/// Stands for rows that are like the one above.
const REPEATED: &str = "*";

fn claims(start: &Start<'_>) -> Option<Claim> {
    let mut dump = HexDump::default();
    let mut lines = start.nonblank_lines();
    let is_dump = lines.all(|line| dump.accepts(line));
    (is_dump && dump.rows >= MIN_ROWS).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct HexDump {
    first: String,
    last: String,
    rows: usize,
}

impl Recognizer for HexDump {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if self.accepts(line.text) { Mark::Plain } else { Mark::Foreign }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let summary = format!("dump of bytes: offsets {} to {}", self.first, self.last);
        (self.rows > 0).then(|| Report::with_summary(summary, Quotes::Default))
    }
}

impl HexDump {
    /// Reads a line; false if it does not continue the dump.
    fn accepts(&mut self, line: &str) -> bool {
        if line.trim_end() == REPEATED {
            return self.rows > 0;
        }
        let Some((offset, bytes)) = row(line) else { return false };
        // Offsets have one width, so they are in the order of their texts.
        let follows = offset.len() == self.last.len() && *offset > *self.last;
        let is_end = bytes.is_empty();
        if self.rows > 0 && !follows || self.rows == 0 && is_end {
            return false;
        }
        if self.rows == 0 {
            offset.clone_into(&mut self.first);
        }
        offset.clone_into(&mut self.last);
        self.rows += usize::from(!is_end);
        true
    }
}

/// Returns true for a row of a dump; a hash rarely starts with two zeros.
pub(super) fn is_row(line: &str) -> bool {
    let are_groups = |bytes: &str| bytes.split_ascii_whitespace().take(2).all(is_group);
    line.starts_with("00") && row(line).is_some_and(|(_, bytes)| are_groups(bytes))
}

/// Parses `00000010  48 65 6c  |Hel|`, `00000010: 4865 6c  Hel` and `0000020 062510 000154`; the last line of a dump is an
/// offset alone.
fn row(line: &str) -> Option<(&str, &str)> {
    let end = line.find([' ', ':']).unwrap_or(line.len());
    let (offset, bytes) = line.split_at(end);
    let bytes = bytes.trim_start_matches(':').trim();
    let is_offset = offset.len() >= MIN_OFFSET_DIGITS
        && offset.starts_with('0')
        && offset.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_row = bytes.is_empty() || bytes.split(' ').next().is_some_and(is_group);
    (is_offset && is_row).then_some((offset, bytes))
}

/// Returns true for bytes in base 2, 8, 10 or 16, and for what `od -c` prints of one: a character or an escape.
fn is_group(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number && word.len().is_multiple_of(2)
        || word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_digit())
        || word.chars().count() == 1
        || word.len() == 2 && word.starts_with('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_not_a_row() {
        assert!(is_row("00000010  48 65 6c  |Hel|") && is_row("0000020   H   e   l"));
        assert!(!is_row("00f7e3af - Ann Lee, 4 hours ago : hooks: a command"));
    }
}
