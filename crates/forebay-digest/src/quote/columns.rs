//! Blanks between the columns of a table, which cost room and say nothing but where a column starts.
//!
//! Only where neighbouring lines prove that it is a table without an empty cell: as many cells, each of which starts or
//! ends where the one above or below it does. In source code, below a caret, in a patch or in a quoted string blanks stay.

/// A lone line is no table: this many neighbours must have the same cells.
const MIN_NEIGHBOURS: usize = 2;

/// Neighbours are at most this many lines away.
const NEAR_LINES: u64 = 3;

/// Blanks that separate two cells.
const SEPARATOR: &str = "  ";

/// Longer than a separator.
const WIDE_GAP: &str = "   ";

/// What lines of source code start and end with, and contain, but hardly any row of a table.
const CODE_STARTS: &[&str] = &["#", "//", "/*"];
const CODE_ENDS: &[char] = &[';', '{', '}', '\\', ',', '(', '['];
const CODE_SIGNS: &[&str] =
    &[" = ", ":=", "=>", "==", "!=", "+=", "::", "()", " // ", " # ", " /* ", " -- "];

/// A line, or several equal ones, with their numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered<'a> {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) text: &'a str,
}

impl Numbered<'_> {
    fn is_near(&self, other: &Self) -> bool {
        let (before, after) = if self.first <= other.first { (self, other) } else { (other, self) };
        after.first.saturating_sub(before.last) <= NEAR_LINES
    }
}

/// Where a cell is, in characters and in bytes.
#[derive(Debug, Clone, Copy)]
struct Cell {
    columns: (usize, usize),
    bytes: (usize, usize),
}

impl Cell {
    fn is_below(&self, other: &Self) -> bool {
        self.columns.0 == other.columns.0 || self.columns.1 == other.columns.1
    }
}

/// The lines of a text that may be rows of tables.
#[derive(Debug)]
pub(super) struct Columns<'a> {
    lines: Vec<Numbered<'a>>,
    /// The cells of each line; none if its blanks may matter.
    cells: Vec<Vec<Cell>>,
    /// The most cells of a line in the same block, up to and with each line.
    widest: Vec<usize>,
}

impl<'a> Columns<'a> {
    /// Reads lines in their order.
    pub(super) fn new(lines: Vec<Numbered<'a>>) -> Self {
        let has_tables = lines.iter().any(|line| has_wide_gap(line.text));
        let cells_of = |line: &Numbered<'_>| {
            if has_tables && !is_verbatim(line.text) { cells(line.text) } else { Vec::new() }
        };
        let cells: Vec<_> = lines.iter().map(cells_of).collect();
        let mut widest = vec![0; lines.len()];
        for index in 0..lines.len() {
            let goes_on =
                index > 0 && lines[index].first.saturating_sub(lines[index - 1].last) <= 1;
            let before = if goes_on && cells[index].len() > 1 { widest[index - 1] } else { 0 };
            widest[index] = before.max(cells[index].len());
        }
        Self { lines, cells, widest }
    }

    /// Returns a row with at most two blanks between its columns; none if nothing proves that the line is one.
    pub(super) fn shortened(&self, index: usize) -> Option<String> {
        let line = self.lines[index];
        let text = line.text;
        let cells = &self.cells[index];
        if cells.len() < 2 || !has_wide_gap(text) || self.widest[index] > cells.len() {
            return None;
        }
        let is_near = |near: &usize| self.lines[*near].is_near(&line);
        let before = (0..index).rev().take_while(is_near);
        let near: Vec<usize> =
            before.chain((index + 1..self.lines.len()).take_while(is_near)).collect();
        let texts = || near.iter().map(|near| self.lines[*near].text);
        if texts().any(is_pointer) || is_numbered(text, texts()) {
            return None;
        }
        let is_same = |near: &&usize| {
            let others = &self.cells[**near];
            others.len() == cells.len()
                && cells.iter().zip(others).all(|(cell, other)| cell.is_below(other))
        };
        if near.iter().any(|near| self.cells[*near].len() > cells.len())
            || near.iter().filter(is_same).count() < MIN_NEIGHBOURS
        {
            return None;
        }
        let indent = &text[..cells[0].bytes.0];
        let texts: Vec<&str> = cells.iter().map(|cell| &text[cell.bytes.0..cell.bytes.1]).collect();
        Some(format!("{indent}{}", texts.join(SEPARATOR)))
    }
}

fn has_wide_gap(text: &str) -> bool {
    text.trim_start().contains(WIDE_GAP)
}

/// Splits a line at two or more blanks.
fn cells(text: &str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut blanks = usize::MAX;
    for (column, (at, c)) in text.char_indices().enumerate() {
        if c == ' ' {
            blanks = blanks.saturating_add(1);
            continue;
        }
        let end = (column + 1, at + c.len_utf8());
        match cells.last_mut() {
            Some(cell) if blanks < SEPARATOR.len() => {
                (cell.columns.1, cell.bytes.1) = end;
            }
            _ => cells.push(Cell { columns: (column, end.0), bytes: (at, end.1) }),
        }
        blanks = 0;
    }
    cells
}

/// Returns true for lines whose blanks may matter: code, patches, quoted strings, tabs.
fn is_verbatim(text: &str) -> bool {
    let trimmed = text.trim();
    let is_patch = trimmed.starts_with(['+', '-', '<', '>', '@']);
    let is_code = CODE_STARTS.iter().any(|start| trimmed.starts_with(start))
        || trimmed.ends_with(CODE_ENDS)
        || CODE_SIGNS.iter().any(|sign| trimmed.contains(sign));
    let is_quoted = trimmed.contains(['\t', '"', '\'', '`', '|']);
    is_patch || is_code || is_quoted || is_pointer(text) || follows_place(trimmed)
}

/// Returns true if blanks follow a place or the author of a line, so that what comes next may be code: `a.py:3:    x`,
/// `67710b3 (Ann 2026-01-01 3)    x`.
fn follows_place(text: &str) -> bool {
    let ends_place = |(at, _): (usize, &str)| {
        let mut before = text[..at].chars().rev();
        match before.next() {
            Some(')') => true,
            Some(':') => before.next().is_some_and(|c| c.is_ascii_digit()),
            _ => false,
        }
    };
    text.match_indices(SEPARATOR).any(ends_place)
}

/// Returns true for a line that points at places of another.
fn is_pointer(text: &str) -> bool {
    !text.trim().is_empty() && text.contains('^') && !text.contains(char::is_alphabetic)
}

/// Returns true for lines of a file with their numbers, as `cat -n` prints them.
fn is_numbered<'a>(text: &str, mut near: impl Iterator<Item = &'a str>) -> bool {
    let number = |text: &str| text.split_ascii_whitespace().next()?.parse::<u64>().ok();
    let Some(own) = number(text) else { return false };
    near.any(|text| number(text).is_some_and(|other| other.abs_diff(own) == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(number: u64, text: &str) -> Numbered<'_> {
        Numbered { first: number, last: number, text }
    }

    #[track_caller]
    fn check(text: &str, index: usize, expect: Option<&str>) {
        let lines: Vec<_> =
            (1..).zip(text.lines()).map(|(number, text)| numbered(number, text)).collect();
        assert_eq!(Columns::new(lines).shortened(index).as_deref(), expect, "{text}");
    }

    const TABLE: &str = "NAME            STATE      SIZE\nqueue-one       idle         12\n\
        stock           failed    1,200\nreports         idle          7\n";

    #[test]
    fn blanks_between_the_columns_of_a_table_are_shortened() {
        check(TABLE, 0, Some("NAME  STATE  SIZE"));
        check(TABLE, 2, Some("stock  failed  1,200"));
    }

    #[test]
    fn blanks_stay_where_no_neighbours_prove_a_table() {
        check("one            two\nthree four\nfive\n", 0, None);
        check("one            two\nthree          four\n", 1, None);
    }

    #[test]
    fn blanks_stay_where_a_cell_may_be_empty() {
        let table = "NAME            STATE      SIZE\nqueue           idle         12\n\
            stock                     1,200\nreports         idle          7\n";
        check(table, 1, Some("queue  idle  12"));
        check(table, 2, None);
        let empty = "NAME      STATE     SIZE\nqueue               12\nstock               13\n\
            reports             14\nmails               15\norders              16\n";
        (1..6).for_each(|index| check(empty, index, None));
        let bytes = "0000000   P   N   G  \\r\n0000020  \\0       \\0  a\n0000040   m  \\0  \\0    \n0000060  \\0   m   a   d\n";
        (0..4).for_each(|index| check(bytes, index, None));
    }

    #[test]
    fn blanks_of_code_stay() {
        for text in [
            "let one    = 1;\nlet other  = 2;\nlet third  = 3;\n",
            "a.py:1:    x()\na.py:2:    y()\na.py:3:    z()\n",
            "a1b2c3d (Ann   2026-01-01 1)    x()\na1b2c3d (Bobby 2026-01-01 2)    y()\nffb2c3d (Ann   2026-01-01 3)    z()\n",
            "   1    x()\n   2    y()\n   3    z()\n",
            "+    a    b\n+    c    d\n+    e    f\n",
            "say 'a    b'\nsay 'c    d'\nsay 'e    f'\n",
            "f(x)    y\n   ^    ^\ng(x)    y\nh(x)    y\n",
            "    return    a\n",
            "#define ONE      1\n#define THREE    3\n#define FIVE     5\n",
            "int     one,\nint     two,\nint     six,\n",
            "open()     # first\nread()     # then\nshut()     # last\n",
            "one     := 1\ntwo     := 2\nsix     := 6\n",
        ] {
            for index in 0..text.lines().count() {
                check(text, index, None);
            }
        }
    }
}
