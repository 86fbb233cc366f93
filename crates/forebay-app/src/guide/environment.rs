//! The environment the work needs: variables, runtimes, installed things.

use forebay_domain::EventKind;

use super::facts::Facts;
use super::layout::Section;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let lines = super::layout::listed(facts.of(EventKind::Environment));
    let more = "ctx_history events=environment";
    (!lines.is_empty()).then(|| Section::new("## Environment", lines, more).weighing(4))
}
