//! The user's rules, verbatim, and pinned notes.

use super::layout::Section;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let pinned = facts.pinned.iter().map(|line| (0, line.clone()));
    let rules = facts.talk.rules().into_iter().map(|rule| (rule.rank + 1, rule.text));
    Section::ranked("## Rules of the user", pinned.chain(rules))
        .map(|section| section.with_percent(15))
}
