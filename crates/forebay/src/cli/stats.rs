//! `forebay stats`: tokens spent and saved.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Answer;
use forebay_app::tools::stats::{self, BILLED_HEADING, DIGESTS_HEADING, HOLDOUT_HEADING};
use forebay_domain::Timestamp;
use forebay_domain::query;
use serde_json::Value;

use super::terminal::Failure;
use super::{Common, line_breaking, paint, terminal};

/// Show tokens saved, net of costs
///
/// Where the requests to the model are known, the second table shows what was saved over all requests that would have
/// carried an output, less what Forebay's own texts cost there: in tokens, and at list prices.
#[derive(Debug, Args)]
pub(super) struct Stats {
    /// Only what happened since this age or date: 2d, 36h, 2026-01-31
    #[arg(long, value_name = "WHEN", value_parser = parse_age_or_date)]
    since: Option<Timestamp>,
}

/// Indentation of the continued lines of a remark.
const INDENT: usize = 2;
/// The longest bar of a tool.
const MAX_BAR: usize = 18;
const BAR_PARTS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const SPARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Stats {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.tolerant_app()?;
        let answer = stats::report(&app, self.since)?;
        terminal::tell_notices(&app)?;
        match line_breaking::columns().filter(|_| !common.json) {
            Some(columns) => print_report(&answer, columns)?,
            None => drop(common.show(&answer)?),
        }
        common.index_some(&app)?;
        Ok(ExitCode::SUCCESS)
    }
}

pub(super) fn parse_age_or_date(when: &str) -> Result<Timestamp, String> {
    query::parse_time(when, super::wall_clock())
        .ok_or_else(|| "neither an age (2d, 36h, 3w) nor a date (2026-01-31)".to_owned())
}

/// Prints the tables with a bar for each tool, and when tokens were saved.
fn print_report(answer: &Answer, columns: usize) -> Result<(), Failure> {
    let largest = largest_saving(&answer.data["project"]["tools"]);
    for (number, line) in answer.text.lines().enumerate() {
        let headings = [BILLED_HEADING, DIGESTS_HEADING, HOLDOUT_HEADING];
        let is_heading = number == 0 || headings.iter().any(|heading| line.starts_with(heading));
        let bar = bar(line, largest, columns);
        terminal::print_painted(&format!("{}{bar}", painted(line, is_heading, columns)))?;
    }
    if let Some(sparkline) = sparkline(&answer.data["project"]["timeline"]) {
        terminal::print_painted(&paint::dimmed(&format!("saved over time {sparkline}")))?;
    }
    Ok(())
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
    let is_number = !saved.is_empty()
        && saved.chars().all(|c| c.is_ascii_digit() || "-<$.,".contains(c))
        && saved.contains(|c: char| c.is_ascii_digit());
    let is_remark = line.contains(": ");
    (!is_remark && (is_number || saved == "unknown")).then_some((start, saved))
}

/// The bar of a tool's row, if there is room for one; the longest is that of the tool that saved or cost most.
fn bar(line: &str, largest: u64, columns: usize) -> String {
    let room = columns.saturating_sub(line.chars().count() + 1).min(MAX_BAR);
    let saved = split_row(line).filter(|_| line.starts_with(' ')).and_then(|(_, saved)| {
        saved.replace(',', "").parse::<i64>().ok().filter(|saved| *saved != 0)
    });
    let (Some(saved), true) = (saved, largest > 0 && room > 2) else { return String::new() };
    let eighths = (saved.unsigned_abs() * room as u64 * 8).div_ceil(largest) as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.extend((eighths % 8).checked_sub(1).map(|part| BAR_PARTS[part]));
    format!(" {}", paint::bar(&bar, saved < 0))
}

fn largest_saving(tools: &Value) -> u64 {
    let rows = tools.as_object().into_iter().flat_map(|tools| tools.values());
    rows.filter_map(|row| row["saved_tokens"].as_i64()).map(i64::unsigned_abs).max().unwrap_or(0)
}

/// A character for each part of the time; parts without savings are empty.
fn sparkline(timeline: &Value) -> Option<String> {
    let saved: Vec<u64> = timeline["saved_tokens"]
        .as_array()?
        .iter()
        .map(|part| part.as_i64().unwrap_or(0).max(0).unsigned_abs())
        .collect();
    let largest = saved.iter().copied().max().filter(|largest| *largest > 0)?;
    let spark = |part: u64| match part {
        0 => ' ',
        _ => SPARKS[((part * SPARKS.len() as u64).div_ceil(largest) as usize).clamp(1, 8) - 1],
    };
    Some(saved.into_iter().map(spark).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_end_with_a_number() {
        assert_eq!(split_row("project   1   -4,759"), Some(("project   1   ", "-4,759")));
        assert_eq!(split_row("project   1   -$0.0042"), Some(("project   1   ", "-$0.0042")));
        assert_eq!(split_row("project   1   unknown"), Some(("project   1   ", "unknown")));
        assert_eq!(split_row("stored: 3 entries on disk"), None);
        assert_eq!(split_row("1 token = 4 bytes."), None);
        assert_eq!(split_row("costs: tool list 90,000"), None);
    }

    #[test]
    fn colours_gains_and_losses() {
        assert!(painted("  ctx_get   1   40", false, 80).ends_with("\u{1b}[32m40\u{1b}[39m"));
        assert!(painted("  ctx_get   1   -40", false, 80).contains("\u{1b}[31m-40"));
    }

    #[test]
    fn bars_are_as_long_as_what_was_saved() {
        let plain = |line: &str, columns| {
            anstream::adapter::strip_str(&bar(line, 1_000, columns)).to_string()
        };
        assert_eq!(plain("  capture   1   1,000", 80), format!(" {}", "█".repeat(MAX_BAR)));
        assert_eq!(plain("  ctx_get   1   -250", 80), " ████▌");
        assert_eq!(plain("  ctx_get   1   1", 80), " ▏");
        assert_eq!(plain("  ctx_get   1   500", 28), " ████");
        assert_eq!(plain("  ctx_get   1   500", 20), "", "no room");
        assert_eq!(plain("project   1   500", 80), "", "a sum");
        assert_eq!(plain("  ctx_get   1   0", 80), "");
    }

    #[test]
    fn a_sparkline_has_a_part_for_each_number() {
        let timeline = json!({ "saved_tokens": [0, 1, 50, 100, -20] });
        assert_eq!(sparkline(&timeline).as_deref(), Some(" ▁▄█ "));
        assert_eq!(sparkline(&json!({ "saved_tokens": [0, -1] })), None);
        assert_eq!(sparkline(&Value::Null), None);
    }
}
