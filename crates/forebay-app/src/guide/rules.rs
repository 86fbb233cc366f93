//! The guide's section on files with rules of the project.

use std::collections::BTreeSet;

use forebay_domain::EventKind;
use forebay_domain::event::Recorded;
use forebay_platforms::PLATFORMS;

use super::facts::Facts;
use super::layout::Section;

/// A file with rules that is not specific to agents.
const CONTRIBUTING: &str = "CONTRIBUTING.md";

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let known = PLATFORMS.iter().flat_map(|platform| platform.instructions.files).copied();
    let existing = known.chain([CONTRIBUTING]).filter(|name| facts.root.join(name).is_file());
    let mut files: BTreeSet<String> = existing.map(str::to_owned).collect();
    let read = facts.of(EventKind::Rule).filter(|recorded| is_file(recorded));
    files.extend(read.map(|recorded| recorded.event.subject.clone()));
    let line = files.into_iter().collect::<Vec<_>>().join(", ");
    let more = "ctx_history events=rule";
    (!line.is_empty()).then(|| Section::new("## Project rules", vec![line], more).weighing(4))
}

/// Whether a rule is a file that holds rules, and no sentence.
pub(super) fn is_file(recorded: &Recorded) -> bool {
    recorded.event.text.starts_with("rules stand in ")
}
