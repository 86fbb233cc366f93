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

/// The first row has at least this many groups; a word of hexadecimal digits may follow any number.
const MIN_GROUPS: usize = 2;

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
        let Some((offset, groups)) = row(line) else { return false };
        let is_accepted = if self.rows == 0 {
            offset.starts_with('0') && groups >= MIN_GROUPS
        } else {
            self.is_before(offset)
        };
        if !is_accepted {
            return false;
        }
        if self.rows == 0 {
            offset.clone_into(&mut self.first);
        }
        offset.clone_into(&mut self.last);
        self.rows += usize::from(groups > 0);
        true
    }

    /// Returns true if the offset is larger than the last one. They have one width until its digits do not suffice.
    fn is_before(&self, offset: &str) -> bool {
        let is_longer = offset.len() == self.last.len() + 1
            && !offset.starts_with('0')
            && !self.last.starts_with('0');
        is_longer || offset.len() == self.last.len() && *offset > *self.last
    }
}

/// Returns true for a row of a dump; a hash rarely starts with two zeros.
pub(super) fn is_row(line: &str) -> bool {
    line.starts_with("00") && row(line).is_some_and(|(_, bytes)| bytes >= MIN_GROUPS)
}

/// Parses the offset of a row and the number of its groups: `00000010  48 65 6c  |Hel|`, `00000010: 4865 6c  Hel` and
/// `0000020 062510 000154`; the last line of a dump is an offset alone.
fn row(line: &str) -> Option<(&str, usize)> {
    let end = line.find([' ', ':']).unwrap_or(line.len());
    let (offset, rest) = line.split_at(end);
    let is_offset = offset.len() >= MIN_OFFSET_DIGITS && offset.bytes().all(is_hex_digit);
    if !is_offset {
        return None;
    }
    let bytes = match rest.strip_prefix(':') {
        // `xxd` puts two spaces before the text.
        Some(rest) => rest.trim_start().split("  ").next().unwrap_or_default(),
        None => without_text(rest),
    };
    Some((offset, count_groups(bytes)?))
}

/// Strips the text behind the bytes: `|Hel|` of `hexdump -C`, `>Hel<` of `od -tx1z`.
fn without_text(row: &str) -> &str {
    let row = row.trim_end();
    let text = [("  |", '|'), ("  >", '<')].into_iter().find_map(|(start, end)| {
        row.find(start).filter(|at| row[at + start.len()..].ends_with(end))
    });
    text.map_or(row, |at| &row[..at])
}

/// Counts the groups, if all of them are of one kind.
fn count_groups(bytes: &str) -> Option<usize> {
    let groups = || bytes.split_ascii_whitespace();
    let are_numbers = are_hex(groups()) || groups().all(|group| group.bytes().all(is_digit));
    (are_numbers || are_characters(bytes)).then(|| groups().count())
}

/// Returns true for numbers in base 2, 8 or 16; all have one width, but the last may be cut.
fn are_hex<'a>(mut groups: impl Iterator<Item = &'a str>) -> bool {
    let Some(first) = groups.next() else { return true };
    let mut width = first.len();
    let mut is_group = |group: &str| {
        let follows = group.len() <= width && width == first.len();
        width = group.len();
        follows && group.len().is_multiple_of(2) && group.bytes().all(is_hex_digit)
    };
    is_group(first) && groups.all(is_group)
}

/// Returns true for what `od -c` prints: each byte at the right of four columns, as a character, an escape or three digits.
fn are_characters(bytes: &str) -> bool {
    const COLUMNS: usize = 4;
    let characters: Vec<char> = bytes.chars().collect();
    characters.chunks(COLUMNS).all(|cell| {
        let is_cell = cell.len() == COLUMNS && cell[0] == ' ';
        let is_character = || cell[1..3] == [' ', ' '];
        let is_escape = || cell[1] == ' ' && (cell[2] == '\\' || cell[2..] == ['*', '*']);
        let is_code = || cell[1..].iter().all(char::is_ascii_digit);
        is_cell && (is_character() || is_escape() || is_code())
    })
}

fn is_hex_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_not_a_row() {
        assert!(is_row("00000010  48 65 6c  |Hel|") && is_row("0000020   H   e   l"));
        assert!(!is_row("00f7e3af - Ann Lee, 4 hours ago : hooks: a command"));
    }

    #[test]
    fn counts_the_groups_of_every_layout() {
        for (line, groups) in [
            ("0000000 042510 066154 000012", 3),
            ("00000000: 4865 6c6c 6f0a                           Hello.", 3),
            ("00000000: 4865 6c                                  Hel", 2),
            ("00000000: 01001000 01100101                          He", 2),
            ("00000000  48 65 6c 6c 6f 0a                                 |Hello.|", 6),
            ("0000000 48 65 6c  >Hel<", 3),
            ("0000000  25928     10  27756", 3),
            ("0000000   H  \\n   l     033   |", 5),
            ("0000000   é  **   1", 3),
            ("0001750", 0),
        ] {
            assert_eq!(row(line).map(|(_, groups)| groups), Some(groups), "{line}");
        }
        for line in [
            "000000000002d600 T add",
            "000000000002d600 T a b",
            "0000000 48 65 word",
            "0000000 4865 6c 6c6f",
        ] {
            assert_eq!(row(line), None, "{line}");
        }
    }

    #[track_caller]
    fn check(lines: &[&str], expect: Option<&str>) {
        let mut dump = HexDump::default();
        for text in lines {
            let line = Line { number: 1, text, cut: 0, has_newline: true };
            dump.push_line(line);
        }
        let report = Box::new(dump).report(&ReportContext::new(4, 1_200));
        let facts = report.map(|report| report.facts).unwrap_or_default();
        assert_eq!(facts.first().map(|fact| fact.text.as_str()), expect);
    }

    #[test]
    fn offsets_fill_their_width_and_outgrow_it() {
        let rows = ["0000000 042510 066154", "*", "0777760 042510 066154", "1000000 042510 066154"];
        check(&rows, Some("dump of bytes: offsets 0000000 to 1000000"));
        let rows =
            ["0000000 042510 066154", "7777760 042510 066154", "10000000 042510", "10000002"];
        check(&rows, Some("dump of bytes: offsets 0000000 to 10000002"));
        check(&["1000000 042510 066154", "1000020 042510 066154"], None);
        check(
            &["0000000 042510", "0000020 042510 066154"],
            Some("dump of bytes: offsets 0000020 to 0000020"),
        );
    }
}
