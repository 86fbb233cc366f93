//! Colours for terminals; `anstream` strips them elsewhere.

use forebay_text::invisible::escape;
use owo_colors::OwoColorize;

pub(super) fn error(text: &str) -> String {
    text.red().bold().to_string()
}

pub(super) fn hint(text: &str) -> String {
    text.yellow().to_string()
}

pub(super) fn heading(text: &str) -> String {
    text.bold().to_string()
}

pub(super) fn typed(text: &str) -> String {
    text.green().to_string()
}

pub(super) fn dimmed(text: &str) -> String {
    text.dimmed().to_string()
}

/// A number of tokens, coloured by whether they were saved or spent.
pub(super) fn gain(number: &str) -> String {
    match number.trim() {
        "0" | "$0" | "unknown" => number.to_owned(),
        text if text.starts_with('-') => number.red().to_string(),
        _ => number.green().to_string(),
    }
}

/// A bar, coloured by whether it stands for a loss.
pub(super) fn bar(text: &str, is_loss: bool) -> String {
    if is_loss { text.red().to_string() } else { text.green().to_string() }
}

/// A diff line, coloured by its first character.
pub(super) fn diff_line(line: &str) -> String {
    match line.as_bytes().first() {
        Some(b'+') => line.green().to_string(),
        Some(b'-') => line.red().to_string(),
        Some(b'@') => line.cyan().to_string(),
        _ => line.to_owned(),
    }
}

/// The line with everything but colours shown as escapes.
pub(super) fn only_painted(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        shown.push_str(&escape(before));
        let codes = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        let is_colour = after[codes..].starts_with('m') && COLOURS.contains(&&after[..codes]);
        shown.push_str(if is_colour { "\u{1b}[" } else { "\\u{1b}[" });
        rest = after;
    }
    shown.push_str(&escape(rest));
    shown
}

/// The codes that the functions above use: bold, dimmed, the colours, and their ends.
const COLOURS: &[&str] = &["0", "1", "2", "22", "31", "32", "33", "36", "39"];

/// A line of an answer: references are highlighted, hints for further calls are dimmed.
pub(super) fn answer_line(line: &str) -> String {
    if is_continuation_hint(line) || is_gap_mark(line) {
        return dimmed(line);
    }
    let Some(rest) = line.strip_prefix("[ctx:") else { return line.to_owned() };
    match rest.split_once(']') {
        Some((id, rest)) => format!("{}{}", format!("[ctx:{id}]").cyan(), ending(rest)),
        None => line.to_owned(),
    }
}

/// Whether a line stands for lines that a digest leaves out: `… lines 13-424`, `…13-424`, `…13`, `… 5 more`.
fn is_gap_mark(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('…') else { return false };
    let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    rest.starts_with(' ') || is_number(first) && is_number(last)
}

/// Whether a line says what was left out and how to get it.
pub(super) fn is_continuation_hint(line: &str) -> bool {
    [
        "left out: ",
        "summarized: ",
        "lines folded or cut",
        "more: ctx_get ",
        "more: forebay ",
        "older: ctx_",
        "older: forebay ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

/// How a run ended, coloured by success or failure.
fn ending(rest: &str) -> String {
    let (ending, after) = rest.split_at(rest.find(" · ").unwrap_or(rest.len()));
    let good = ending.ends_with("exit 0");
    let is_run = ["exit ", "killed ", "timed out", "cancelled", "exceeded "]
        .iter()
        .any(|word| ending.contains(word));
    match (is_run, good) {
        (true, true) => format!("{}{after}", ending.green()),
        (true, false) => format!("{}{after}", ending.red()),
        _ => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_gaps_are_dimmed() {
        for mark in ["… lines 13-424", "…13-424", "…13", "… 5 more"] {
            assert_eq!(answer_line(mark), dimmed(mark));
        }
        for text in ["…", "…and so on", "…13-", "13-424", "…13th"] {
            assert_eq!(answer_line(text), text);
        }
    }

    #[test]
    fn only_colours_reach_the_terminal() {
        let line = format!("{} \u{1b}[2J\u{1b}]0;title\u{7} \u{1b}[8m{}", error("e"), hint("h"));
        let shown = only_painted(&line);
        assert!(shown.starts_with(&error("e")) && shown.ends_with(&hint("h")), "{shown:?}");
        assert!(shown.contains("\\u{1b}[2J\\u{1b}]0;title\\u{7} \\u{1b}[8m"), "{shown:?}");
    }
}
