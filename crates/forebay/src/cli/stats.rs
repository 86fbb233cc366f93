//! `forebay stats`: tokens spent and saved.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use rustix::termios::tcgetwinsize;
use serde_json::json;

use super::terminal::Failure;
use super::{Common, paint, terminal};

/// Show tokens saved, net of costs
#[derive(Debug, Args)]
pub(super) struct Stats {}

/// Longer lines are hard to read, even where there is room.
const MAX_COLUMNS: usize = 80;
/// Narrower terminals wrap by themselves.
const MIN_COLUMNS: usize = 40;

impl Stats {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        if common.json || !io::stdout().is_terminal() {
            return common.call_reader("ctx_stats", json!({}));
        }
        let app = common.tolerant_app()?;
        let answer = app.call("ctx_stats", json!({}), &Call::default())?;
        terminal::tell_notices(&app)?;
        let columns = columns();
        for (number, line) in answer.text.lines().enumerate() {
            terminal::print_painted(&painted(line, number == 0, columns))?;
        }
        common.index_some(&app)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn columns() -> usize {
    let width = tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_col));
    if width == 0 { MAX_COLUMNS } else { width.clamp(MIN_COLUMNS, MAX_COLUMNS) }
}

/// A row of the table with its last column coloured, or a remark wrapped at the columns.
fn painted(line: &str, is_heading: bool, columns: usize) -> String {
    if is_heading {
        return paint::heading(line);
    }
    let Some((start, saved)) = split_row(line) else {
        return paint::dimmed(&wrapped(line, columns));
    };
    let is_total = !line.starts_with(' ');
    let start = if is_total { paint::heading(start) } else { start.to_owned() };
    format!("{start}{}", paint::gain(saved))
}

/// Splits the last column from a row of the table; `None` for a remark.
fn split_row(line: &str) -> Option<(&str, &str)> {
    let (start, saved) = line.split_at(line.rfind(' ')? + 1);
    let is_number =
        !saved.is_empty() && saved.chars().all(|c| c.is_ascii_digit() || "-,".contains(c));
    is_number.then_some((start, saved))
}

/// Breaks a line at spaces; continued lines are indented.
fn wrapped(line: &str, columns: usize) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in line.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > columns {
            text.push_str("\n  ");
            width = 2;
        } else if width > 0 {
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
    fn wraps_remarks_at_the_columns() {
        let line = "Saved: at most 30,000 characters of each output that a host would have shown.";
        let text = wrapped(line, 40);
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert_eq!(text.replace("\n  ", " "), line);
        assert_eq!(wrapped("short", 40), "short");
    }

    #[test]
    fn rows_end_with_a_number() {
        assert_eq!(split_row("project   1   -4,759"), Some(("project   1   ", "-4,759")));
        assert_eq!(split_row("stored: 3 entries on disk"), None);
        assert_eq!(split_row("1 token = 4 bytes."), None);
    }

    #[test]
    fn colours_gains_and_losses() {
        assert!(painted("  ctx_get   1   40", false, 80).ends_with("\u{1b}[32m40\u{1b}[39m"));
        assert!(painted("  ctx_get   1   -40", false, 80).contains("\u{1b}[31m-40"));
    }
}
