//! Bounds the user set, and rules he gave for all time.

use forebay_domain::EventKind;

use super::facts::Facts;
use super::layout::Section;
use super::rules::is_file;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let said = facts.of_any(&[EventKind::Constraint, EventKind::Rule, EventKind::Role]);
    let lines = super::layout::listed(said.filter(|recorded| !is_file(recorded)));
    let more = "ctx_history events=constraint";
    (!lines.is_empty()).then(|| Section::new("## Constraints", lines, more).weighing(10))
}
