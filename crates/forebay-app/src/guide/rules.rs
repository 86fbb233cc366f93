//! The guide's section on files with rules of the project.

use std::collections::BTreeSet;

use forebay_domain::EventKind;
use forebay_domain::event::RecordedEvent;
use forebay_platforms::PLATFORMS;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// A file with rules that is not specific to agents.
const CONTRIBUTING: &str = "CONTRIBUTING.md";

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let known = PLATFORMS.iter().flat_map(|platform| platform.instructions.files).copied();
    let existing = known.chain([CONTRIBUTING]).filter(|name| facts.root.join(name).is_file());
    let mut files: BTreeSet<String> = existing.map(str::to_owned).collect();
    let read = facts.events_of(EventKind::Rule).filter(|recorded| is_file(recorded));
    files.extend(read.map(|recorded| recorded.event.subject.clone()));
    let line = files.into_iter().collect::<Vec<_>>().join(", ");
    let more = "ctx_history events=rule";
    (!line.is_empty()).then(|| Section::new("## Project rules", vec![line], more).with_percent(4))
}

/// Whether a rule event names a rule file instead of stating a rule.
pub(super) fn is_file(recorded: &RecordedEvent) -> bool {
    recorded.event.text.starts_with("rules stand in ")
}
