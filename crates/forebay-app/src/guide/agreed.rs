//! What was agreed and ruled out: replies with the proposal they answer, and decisions saved as notes.

use forebay_domain::{Entry, NoteKind};
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let replies = facts.talk.replies().into_iter().map(|quote| (quote.rank, quote.text));
    let notes = facts.entries.iter().filter_map(decision_note).map(|line| (0, line));
    let title = "## Agreed and ruled out, newest first";
    Section::ranked(title, replies.chain(notes)).map(|section| section.with_percent(8))
}

/// Formats a decision note that is not superseded.
fn decision_note(entry: &Entry) -> Option<String> {
    let note = entry.note()?;
    let is_in_force = note.kind == NoteKind::Decision && note.superseded_by.is_none();
    is_in_force.then(|| format!("- {} {}", cut::one_line(&entry.digest, 200), entry.reference))
}
