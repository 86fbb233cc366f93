//! What stands in the way.

use forebay_domain::EventKind;

use super::facts::Facts;
use super::layout::Section;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let lines = super::layout::listed(facts.of(EventKind::Blocker));
    (!lines.is_empty()).then(|| Section::new("## Blockers", lines, "ctx_history events=blocker"))
}
