//! Material in a prompt: what it points to, and what was pasted into it.

use forebay_domain::{Event, EventKind, ticket};
use forebay_text::cut;

const MOST_REFERENCES: usize = 10;
/// Where references are looked for; pasted logs behind it are full of addresses that mean nothing.
const MOST_BYTES: usize = 8_000;
/// A paste of fewer lines is part of what was said.
const FEWEST_LINES: usize = 12;

/// Addresses and tickets, each once.
pub(super) fn references(text: &str) -> Vec<Event> {
    let mut found: Vec<&str> = Vec::new();
    for word in cut::prefix(text, MOST_BYTES).split_whitespace() {
        let word = word.trim_matches(|c: char| "()[]<>{},.;:!?\"'`".contains(c));
        if (is_address(word) || ticket::is_ticket(word)) && !found.contains(&word) {
            found.push(word);
        }
    }
    found.truncate(MOST_REFERENCES);
    found.into_iter().map(|word| Event::new(EventKind::Reference, word, word)).collect()
}

fn is_address(word: &str) -> bool {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.len() > 3 && !rest.starts_with('/'))
}

/// What was pasted: its kind and how long it is.
pub(super) fn data(text: &str) -> Option<Event> {
    let (kind, body) = fenced(text).or_else(|| unfenced(text))?;
    let lines = body.lines().count();
    (lines >= FEWEST_LINES).then(|| {
        Event::new(EventKind::Data, kind, &format!("{kind} of {lines} lines, pasted by the user"))
    })
}

/// The longest block between fences, called by its own word.
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
        trimmed.lines().take(200).filter(|line| is_log(line)).count() >= FEWEST_LINES
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
