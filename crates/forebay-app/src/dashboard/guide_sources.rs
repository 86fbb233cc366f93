//! Where each line of a guide comes from: the events and entries of the session that contain its words.
//!
//! A source is shown only if the words of the line stand in it. A line without one is Forebay's own, or made of facts such
//! as the branch.

use forebay_domain::event::RecordedEvent;
use forebay_domain::{Entry, Reference};
use serde_json::{Value, json};

/// Sources per line.
const MAX_SOURCES: usize = 3;
/// Shorter pieces occur by accident.
const MIN_PIECE_BYTES: usize = 3;
/// What a guide writes between quotes of different texts, or in place of left out words.
const SEPARATORS: [&str; 9] =
    ["…", "\" to: ", " (to: ", "`: ", " (failed ", " (×", "] ", "answer: ", "plan: "];
/// What a guide writes before and around a quote.
const DECORATION: &[char] = &['-', '>', '`', '"', '\'', '(', ')', ' ', '|', ','];

/// The texts that the lines of a guide may come from, the latest first.
pub(super) struct Texts {
    texts: Vec<(String, Value)>,
}

impl Texts {
    pub(super) fn new(events: &[RecordedEvent], entries: &[Entry]) -> Self {
        let of_event = |one: &RecordedEvent| {
            let text = format!("{} {}", one.event.subject, one.event.text);
            let source = json!({
                "kind": one.event.kind.as_str(),
                "sequence": one.sequence,
                "created": one.created.0,
                "ref": Reference::all_in(&one.event.subject).first().map(|found| found.as_str().to_owned()),
            });
            (normalized(&text), source)
        };
        let of_entry = |entry: &Entry| {
            let source = json!({
                "kind": entry.kind.as_str(),
                "created": entry.created.0,
                "ref": entry.reference.as_str(),
            });
            (normalized(&format!("{} {}", entry.title, entry.digest)), source)
        };
        let texts = events.iter().map(of_event).chain(entries.iter().map(of_entry)).collect();
        Self { texts }
    }

    /// Returns the lines of a guide as data, each with its section and sources.
    pub(super) fn explain(&self, guide: &str) -> Vec<Value> {
        let mut section = String::new();
        let mut lines = Vec::new();
        for line in guide.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                title.clone_into(&mut section);
            }
            let is_quote = !section.is_empty() && !line.starts_with("## ") && !line.is_empty();
            let sources = if is_quote { self.sources(line) } else { Vec::new() };
            lines.push(json!({ "text": line, "section": section, "sources": sources }));
        }
        lines
    }

    fn sources(&self, line: &str) -> Vec<&Value> {
        let mut found: Vec<&Value> = Vec::new();
        for piece in pieces(line) {
            let source =
                self.texts.iter().find(|(text, _)| text.contains(&piece)).map(|text| &text.1);
            if let Some(source) = source.filter(|source| !found.contains(source)) {
                found.push(source);
            }
        }
        found.truncate(MAX_SOURCES);
        found
    }
}

/// The parts of a line that may be quotes of different texts.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = vec![normalized(line)];
    for separator in SEPARATORS {
        pieces = pieces
            .iter()
            .flat_map(|piece| piece.split(separator).map(str::to_owned).collect::<Vec<_>>())
            .collect();
    }
    let trimmed = pieces.iter().map(|piece| piece.trim_matches(DECORATION).to_owned());
    trimmed.filter(|piece| piece.len() >= MIN_PIECE_BYTES).collect()
}

/// A text with single blanks, as a guide shows it on one line.
fn normalized(text: &str) -> String {
    let visible = forebay_digest::displayed(text.as_bytes());
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use forebay_domain::{Event, EventKind, Timestamp};

    use super::*;

    fn event(kind: EventKind, subject: &str, text: &str, sequence: i64) -> RecordedEvent {
        RecordedEvent {
            event: Event::new(kind, subject, text),
            sequence,
            times: 1,
            is_active: true,
            session: "s".to_owned(),
            branch: None,
            ticket: None,
            created: Timestamp(sequence),
        }
    }

    #[test]
    fn a_line_names_the_texts_that_contain_it() {
        let events = [
            event(EventKind::Error, "cargo test", "assertion failed: ok", 3),
            event(EventKind::Answer, "", "A) a table\nB) Redis", 2),
            event(EventKind::Prompt, "", "Build the login page.\nNever touch auth.rs.", 1),
        ];
        let texts = Texts::new(&events, &[]);
        let sequences = |line: &str| -> Vec<i64> {
            texts.sources(line).iter().filter_map(|source| source["sequence"].as_i64()).collect()
        };
        assert_eq!(sequences("- Never touch auth.rs."), [1]);
        assert_eq!(sequences("- `cargo test`: assertion failed: ok (failed 2 times)"), [3]);
        assert_eq!(sequences("\"Build the login\" to: A) a table"), [1, 2]);
        assert_eq!(sequences("branch: feat/login"), <[i64; 0]>::default());
    }

    #[test]
    fn heads_have_no_source() {
        let events = [event(EventKind::Prompt, "", "Last request", 1)];
        let lines =
            Texts::new(&events, &[]).explain("Forebay's record\n\n## Last request\nLast request");
        assert_eq!(lines[2]["sources"], json!([]));
        assert_eq!(lines[3]["section"], "Last request");
        assert_eq!(lines[3]["sources"][0]["sequence"], 1);
    }
}
