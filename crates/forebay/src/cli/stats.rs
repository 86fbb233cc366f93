//! `forebay stats`: tokens spent and saved.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::json;

use super::terminal::Failure;
use super::{Common, line_breaking, paint, terminal};

/// Show tokens saved, net of costs
#[derive(Debug, Args)]
pub(super) struct Stats {}

/// Indentation of the continued lines of a remark.
const INDENT: usize = 2;

impl Stats {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let Some(columns) = line_breaking::columns().filter(|_| !common.json) else {
            return common.call_reader("ctx_stats", json!({}));
        };
        let app = common.tolerant_app()?;
        let answer = app.call("ctx_stats", json!({}), &Call::default())?;
        terminal::tell_notices(&app)?;
        print_table(&answer.text, columns)?;
        common.index_some(&app)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the table with its remarks on a terminal.
pub(super) fn print_table(text: &str, columns: usize) -> Result<(), Failure> {
    for (number, line) in text.lines().enumerate() {
        terminal::print_painted(&painted(line, number == 0, columns))?;
    }
    Ok(())
}

/// A row of the table with its last column coloured, or a remark wrapped at the columns.
fn painted(line: &str, is_heading: bool, columns: usize) -> String {
    if is_heading {
        return paint::heading(line);
    }
    let Some((start, saved)) = split_row(line) else {
        return paint::dimmed(&line_breaking::line(line, columns, INDENT));
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

#[cfg(test)]
mod tests {
    use super::*;

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
