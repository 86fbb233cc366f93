//! Notes that somebody pinned: they hold whatever the session is about.

use super::facts::Facts;
use super::layout::Section;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let lines = facts.pinned.clone();
    (!lines.is_empty()).then(|| Section::new("## Pinned", lines, "ctx_search kind=note"))
}
