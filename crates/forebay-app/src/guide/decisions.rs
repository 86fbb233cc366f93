//! Decisions in force: stated by the user, or saved as notes.

use forebay_domain::{Entry, EventKind, NoteKind};
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let stated = facts.events_of(EventKind::Decision).map(|recorded| &recorded.event.text);
    let mut lines: Vec<String> =
        stated.map(|text| format!("- {}", cut::one_line(text, 200))).collect();
    lines.extend(facts.entries.iter().filter_map(decision_note));
    let more = "ctx_history events=decision";
    (!lines.is_empty()).then(|| Section::new("## Decisions in force", lines, more).with_percent(14))
}

/// Formats a decision note that is not superseded.
fn decision_note(entry: &Entry) -> Option<String> {
    let note = entry.note()?;
    let is_in_force = note.kind == NoteKind::Decision && note.superseded_by.is_none();
    is_in_force.then(|| format!("- {} {}", cut::one_line(&entry.digest, 200), entry.reference))
}
