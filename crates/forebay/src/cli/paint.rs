//! Colours for terminals; `anstream` strips them elsewhere.

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
        "0" => number.to_owned(),
        text if text.starts_with('-') => number.red().to_string(),
        _ => number.green().to_string(),
    }
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

/// A line of an answer: references are highlighted, hints for further calls are dimmed.
pub(super) fn answer_line(line: &str) -> String {
    if is_continuation_hint(line) || line.starts_with("… ") {
        return dimmed(line);
    }
    let Some(rest) = line.strip_prefix("[ctx:") else { return line.to_owned() };
    match rest.split_once(']') {
        Some((id, rest)) => format!("{}{}", format!("[ctx:{id}]").cyan(), ending(rest)),
        None => line.to_owned(),
    }
}

/// Whether a line says what was left out and how to get it.
pub(super) fn is_continuation_hint(line: &str) -> bool {
    [
        "left out: ",
        "repeats folded",
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
