//! Files with rules of the project, by path: a host loads them itself, or the model reads them.

use std::collections::BTreeSet;

use forebay_domain::EventKind;
use forebay_domain::event::Recorded;

use super::facts::Facts;
use super::layout::Section;

/// Where projects keep their rules.
const RULE_FILES: &[&str] = &[
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    "QWEN.md",
    "CONTRIBUTING.md",
    ".cursorrules",
    ".windsurfrules",
    ".github/copilot-instructions.md",
];

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let there = RULE_FILES.iter().filter(|name| facts.root.join(name).is_file());
    let mut files: BTreeSet<String> = there.map(|name| (*name).to_owned()).collect();
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
