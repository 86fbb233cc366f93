//! Material in a prompt: references and pasted data.

use forebay_domain::{Event, EventKind, ticket};
use forebay_text::cut;

const MAX_REFERENCES: usize = 10;
/// Bytes searched for references; pasted logs after that are full of irrelevant URLs.
const MAX_SEARCHED_BYTES: usize = 8_000;
/// Shorter pastes count as part of the prompt's text.
const MIN_PASTED_LINES: usize = 12;

/// Returns URLs and tickets without duplicates.
pub(super) fn references(text: &str) -> Vec<Event> {
    let mut found: Vec<&str> = Vec::new();
    for word in cut::prefix(text, MAX_SEARCHED_BYTES).split_whitespace() {
        let word = word.trim_matches(|c: char| "()[]<>{},.;:!?\"'`".contains(c));
        if (is_url(word) || ticket::is_ticket(word)) && !found.contains(&word) {
            found.push(word);
        }
    }
    found.truncate(MAX_REFERENCES);
    found.into_iter().map(|word| Event::new(EventKind::Reference, word, word)).collect()
}

fn is_url(word: &str) -> bool {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.len() > 3 && !rest.starts_with('/'))
}

/// Returns the kind and length of pasted data.
pub(super) fn data(text: &str) -> Option<Event> {
    let (kind, body) = fenced(text).or_else(|| unfenced(text))?;
    let lines = body.lines().count();
    (lines >= MIN_PASTED_LINES).then(|| {
        Event::new(EventKind::Data, kind, &format!("{kind} of {lines} lines, pasted by the user"))
    })
}

/// Returns the longest fenced block with its language.
fn fenced(text: &str) -> Option<(&str, &str)> {
    let blocks = text.split("```").skip(1).step_by(2);
    let longest = blocks.max_by_key(|block| block.len())?;
    let (word, body) = longest.split_once('\n')?;
    let word = word.trim();
    let is_word = !word.is_empty() && word.len() < 20 && !word.contains(' ');
    Some((if is_word { word } else { "text" }, body))
}

fn unfenced(text: &str) -> Option<(&str, &str)> {
    let trimmed = text.trim();
    let looks_json = trimmed.ends_with(['}', ']']) && trimmed.contains(['{', '[']);
    let looks_log = || {
        let is_log =
            |line: &str| ["ERROR", "WARN", "INFO", "DEBUG"].iter().any(|l| line.contains(l));
        trimmed.lines().take(200).filter(|line| is_log(line)).count() >= MIN_PASTED_LINES
    };
    let looks_table = || {
        let commas = |line: &str| line.matches(',').count();
        let columns = trimmed.lines().next().map_or(0, commas);
        columns >= 2 && trimmed.lines().take(50).all(|line| commas(line) == columns)
    };
    let kind = if looks_json {
        "json"
    } else if looks_log() {
        "log"
    } else if looks_table() {
        "csv"
    } else {
        return None;
    };
    Some((kind, trimmed))
}
