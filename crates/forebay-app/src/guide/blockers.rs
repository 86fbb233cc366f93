//! Blockers of the work.

use forebay_domain::EventKind;

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let lines = super::layout::list_items(facts.events_of(EventKind::Blocker));
    (!lines.is_empty()).then(|| Section::new("## Blockers", lines, "ctx_history events=blocker"))
}
