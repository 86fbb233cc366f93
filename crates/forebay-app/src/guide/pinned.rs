//! Pinned notes, which apply to every session.

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let lines = facts.pinned.clone();
    (!lines.is_empty()).then(|| Section::new("## Pinned", lines, "ctx_search kind=note"))
}
