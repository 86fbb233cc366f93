//! Rejected proposals, so that they are not tried again.

use forebay_domain::EventKind;

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let lines = super::layout::list_items(facts.events_of(EventKind::Rejected));
    let more = "ctx_history events=rejected";
    (!lines.is_empty()).then(|| Section::new("## Rejected", lines, more))
}
