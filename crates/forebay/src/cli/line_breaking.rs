//! Breaks lines at the width of the terminal.

use std::io::{self, IsTerminal};

use rustix::termios::tcgetwinsize;

/// Longer lines are hard to read, even where there is room.
const MAX_COLUMNS: usize = 80;
/// Narrower terminals wrap by themselves.
const MIN_COLUMNS: usize = 40;

/// The columns to use, if stdout is a terminal.
pub(super) fn columns() -> Option<usize> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let width = tcgetwinsize(stdout).map_or(0, |size| usize::from(size.ws_col));
    Some(if width == 0 { MAX_COLUMNS } else { width.clamp(MIN_COLUMNS, MAX_COLUMNS) })
}

/// Breaks every line of a text.
pub(super) fn text(text: &str, columns: usize, indent: usize) -> String {
    text.lines().map(|one| line(one, columns, indent) + "\n").collect()
}

/// Breaks a line at spaces; continued lines are indented. A longer word stays whole.
pub(super) fn line(line: &str, columns: usize, indent: usize) -> String {
    let words = line.trim_start_matches(' ');
    let mut width = line.len() - words.len();
    let mut text = " ".repeat(width);
    for (number, word) in words.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && width + 1 + length > columns {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            width = indent;
        } else if number > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_at_the_columns() {
        let remark =
            "Saved: at most 30,000 characters of each output that a host would have shown.";
        let broken = line(remark, 40, 2);
        assert!(broken.lines().all(|line| line.chars().count() <= 40), "{broken}");
        assert_eq!(broken.replace("\n  ", " "), remark);
    }

    #[test]
    fn columns_of_a_table_stay() {
        let row = "ok     store       SQLite and a long remark about it";
        assert_eq!(
            text(row, 40, 19),
            "ok     store       SQLite and a long\n                   remark about it\n"
        );
        assert_eq!(line("  indented", 40, 4), "  indented");
    }
}
