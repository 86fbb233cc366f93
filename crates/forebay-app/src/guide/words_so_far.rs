//! The user's words so far, newest first, with what the model found.

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let words = facts.talk.words().into_iter().map(|quote| (quote.rank, quote.text));
    let title = "## The user's words so far, newest first";
    Section::ranked(title, words).map(|section| section.with_percent(16))
}
