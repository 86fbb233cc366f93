//! Constraints and permanent rules that the user stated.

use forebay_domain::EventKind;

use super::layout::Section;
use super::rules::is_file;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let stated = facts.events_of_any(&[EventKind::Constraint, EventKind::Rule, EventKind::Role]);
    let lines = super::layout::list_items(stated.filter(|recorded| !is_file(recorded)));
    let more = "ctx_history events=constraint";
    (!lines.is_empty()).then(|| Section::new("## Constraints", lines, more).with_percent(10))
}
