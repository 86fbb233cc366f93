//! Decisions in force: said by the user, or written down as notes.

use forebay_domain::{Entry, EventKind, NoteKind};
use forebay_text::cut;

use super::facts::Facts;
use super::layout::Section;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let said = facts.of(EventKind::Decision).map(|recorded| &recorded.event.text);
    let mut lines: Vec<String> =
        said.map(|text| format!("- {}", cut::one_line(text, 200))).collect();
    lines.extend(facts.entries.iter().filter_map(noted));
    let more = "ctx_history events=decision";
    (!lines.is_empty()).then(|| Section::new("## Decisions in force", lines, more).weighing(14))
}

/// A decision that was noted and not replaced.
fn noted(entry: &Entry) -> Option<String> {
    let note = entry.note()?;
    let holds = note.kind == NoteKind::Decision && note.superseded_by.is_none();
    holds.then(|| format!("- {} {}", cut::one_line(&entry.digest, 200), entry.reference))
}
