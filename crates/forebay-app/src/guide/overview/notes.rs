//! Notes of an overview, one line each: a title, and as much of the text as fits.

use forebay_domain::Entry;
use forebay_text::cut;

use crate::App;
use crate::guide::layout::Section;

const MAX_TITLE_BYTES: usize = 100;
const MAX_BODY_BYTES: usize = 200;
/// Keeps a line with kind and reference below 80 bytes.
const MAX_SHORT_TITLE_BYTES: usize = 36;
/// A shorter prefix is not enough for a title.
const MIN_TITLE_BYTES: usize = 20;

const MORE_CALL: &str = "ctx_search kind=note";

/// Notes, of which the first `max` are shown.
pub(super) struct Notes {
    all: Vec<Entry>,
    max: usize,
}

impl Notes {
    pub(super) fn new(all: Vec<Entry>, max: usize) -> Self {
        Self { all, max }
    }

    pub(super) fn section(&self, app: &App, title: &str, compact: bool) -> Option<Section> {
        let shown = self.all.iter().take(self.max);
        let lines: Vec<String> =
            shown.map(|note| if compact { short_line(note) } else { line(app, note) }).collect();
        let title = match (lines.len(), self.all.len()) {
            (0, _) => return None,
            (shown, all) if shown < all => format!("## {title} ({shown} of {all})"),
            (shown, _) => format!("## {title} ({shown})"),
        };
        // The compact form spends its bytes on titles; its heading shows that there are more.
        Some(Section::new(title, lines, if compact { "" } else { MORE_CALL }))
    }

    pub(super) fn into_shown(self) -> impl Iterator<Item = Entry> {
        self.all.into_iter().take(self.max)
    }
}

/// `- [decision] **db**: we use SQLite (ann) [ctx:k3v9m2a1xq]`
pub(super) fn line(app: &App, entry: &Entry) -> String {
    let (title, body) = parts(entry);
    let mut line = format!("- [{}] **{}**", kind(entry), cut::one_line(title, MAX_TITLE_BYTES));
    if !body.is_empty() {
        line.push_str(&format!(": {}", cut::one_line(body, MAX_BODY_BYTES)));
    }
    if let Some(author) = app.other_author(entry) {
        line.push_str(&format!(" ({author})"));
    }
    line.push_str(&format!(" {}", entry.reference));
    if let Some(other) = entry.conflicts {
        line.push_str(&format!(", conflicts with {other}"));
    }
    line
}

/// `- [decision] **db** [ctx:k3v9m2a1xq]`
fn short_line(entry: &Entry) -> String {
    let title = cut::one_line(parts(entry).0, MAX_SHORT_TITLE_BYTES);
    format!("- [{}] **{title}** {}", kind(entry), entry.reference)
}

fn kind(entry: &Entry) -> &'static str {
    entry.note().map_or("note", |note| note.kind.as_str())
}

/// Returns a note's title and body.
fn parts(entry: &Entry) -> (&str, &str) {
    match entry.note().and_then(|note| note.topic.as_deref()) {
        Some(topic) => (topic, &entry.digest),
        None => split(&entry.digest),
    }
}

/// Splits a text into title and body at the last pause within the title's maximum.
fn split(text: &str) -> (&str, &str) {
    if text.len() <= MAX_TITLE_BYTES {
        return (text, "");
    }
    let head = cut::prefix(text, MAX_TITLE_BYTES);
    let pause = [". ", ": ", "; ", ", ", " - ", " "]
        .iter()
        .find_map(|pause| head.rfind(pause).filter(|at| *at >= MIN_TITLE_BYTES));
    let (title, body) = text.split_at(pause.unwrap_or(head.len()));
    (title, body.trim_start_matches(['.', ':', ';', ',', '-', ' ']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_the_title_at_a_pause() {
        let long = "we keep raw output in the database: an entry and its bytes appear in one transaction, \
                    so a crash leaves neither";
        assert_eq!(split(long).0, "we keep raw output in the database");
        assert!(split(long).1.starts_with("an entry and its bytes"));
        assert_eq!(split("short"), ("short", ""));
    }

    proptest! {
        #[test]
        fn splits_at_char_boundaries(text in "\\PC{0,200}") {
            let (title, body) = split(&text);
            prop_assert!(title.len() <= MAX_TITLE_BYTES);
            prop_assert!(text.starts_with(title) && text.ends_with(body));
        }
    }
}
