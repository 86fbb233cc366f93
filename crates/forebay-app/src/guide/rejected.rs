//! What was turned down, so that it is not tried again.

use forebay_domain::EventKind;

use super::facts::Facts;
use super::layout::Section;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let lines = super::layout::listed(facts.of(EventKind::Rejected));
    let more = "ctx_history events=rejected";
    (!lines.is_empty()).then(|| Section::new("## Turned down", lines, more))
}
