//! Notes of an overview: one line each, a title that is recognised and as much of the rest as fits.

use forebay_domain::Entry;
use forebay_text::cut;

use crate::App;
use crate::guide::layout::Section;

const TITLE_BYTES: usize = 100;
const BODY_BYTES: usize = 200;
/// With the kind, the reference and what stands between them a line is below 80 bytes.
const SHORT_TITLE_BYTES: usize = 36;
/// A shorter beginning says too little to be a title.
const SHORTEST_TITLE: usize = 20;

const MORE: &str = "ctx_search kind=note";

/// Notes, the first of which are told.
pub(super) struct Notes {
    all: Vec<Entry>,
    most: usize,
}

impl Notes {
    pub(super) fn new(all: Vec<Entry>, most: usize) -> Self {
        Self { all, most }
    }

    pub(super) fn section(&self, app: &App, title: &str, compact: bool) -> Option<Section> {
        let told = self.all.iter().take(self.most);
        let lines: Vec<String> =
            told.map(|note| if compact { short_line(note) } else { line(app, note) }).collect();
        let title = match (lines.len(), self.all.len()) {
            (0, _) => return None,
            (told, all) if told < all => format!("## {title} ({told} of {all})"),
            (told, _) => format!("## {title} ({told})"),
        };
        // The compact form spends its bytes on titles; that there are more its heading tells.
        Some(Section::new(title, lines, if compact { "" } else { MORE }))
    }

    pub(super) fn into_told(self) -> impl Iterator<Item = Entry> {
        self.all.into_iter().take(self.most)
    }
}

/// `- [decision] **db**: we use SQLite (ann) [ctx:k3v9m2a1xq]`
pub(super) fn line(app: &App, entry: &Entry) -> String {
    let (title, body) = parts(entry);
    let mut line = format!("- [{}] **{}**", kind(entry), cut::one_line(title, TITLE_BYTES));
    if !body.is_empty() {
        line.push_str(&format!(": {}", cut::one_line(body, BODY_BYTES)));
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
    let title = cut::one_line(parts(entry).0, SHORT_TITLE_BYTES);
    format!("- [{}] **{title}** {}", kind(entry), entry.reference)
}

fn kind(entry: &Entry) -> &'static str {
    entry.note().map_or("note", |note| note.kind.word())
}

/// What a note is about, and what it says of it.
fn parts(entry: &Entry) -> (&str, &str) {
    match entry.note().and_then(|note| note.topic.as_deref()) {
        Some(topic) => (topic, &entry.digest),
        None => split(&entry.digest),
    }
}

/// A text whose beginning is its title: up to where a reader would pause.
fn split(text: &str) -> (&str, &str) {
    if text.len() <= TITLE_BYTES {
        return (text, "");
    }
    let head = cut::prefix(text, TITLE_BYTES);
    let pause = [". ", ": ", "; ", ", ", " - ", " "]
        .iter()
        .find_map(|pause| head.rfind(pause).filter(|at| *at >= SHORTEST_TITLE));
    let (title, body) = text.split_at(pause.unwrap_or(head.len()));
    (title, body.trim_start_matches(['.', ':', ';', ',', '-', ' ']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_ends_where_a_reader_pauses() {
        let long = "we keep raw output in the database: an entry and its bytes appear in one transaction, \
                    so a crash leaves neither";
        assert_eq!(split(long).0, "we keep raw output in the database");
        assert!(split(long).1.starts_with("an entry and its bytes"));
        assert_eq!(split("short"), ("short", ""));
    }

    proptest! {
        #[test]
        fn a_text_is_split_between_characters(text in "\\PC{0,200}") {
            let (title, body) = split(&text);
            prop_assert!(title.len() <= TITLE_BYTES);
            prop_assert!(text.starts_with(title) && text.ends_with(body));
        }
    }
}
