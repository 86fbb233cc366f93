//! The environment of the work: variables, runtimes, installed packages.

use forebay_domain::EventKind;

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let lines = super::layout::list_items(facts.events_of(EventKind::Environment));
    let more = "ctx_history events=environment";
    (!lines.is_empty()).then(|| Section::new("## Environment", lines, more).with_percent(4))
}
