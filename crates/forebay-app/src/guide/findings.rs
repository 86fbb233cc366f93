//! What subagents found, by reference.

use forebay_domain::EventKind;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// How the subject of a subagent's result starts; other events of the kind say that one was started.
pub(crate) const RESULT: &str = "result";

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let results =
        facts.events_of(EventKind::Subagent).filter(|one| one.event.subject.starts_with(RESULT));
    let lines: Vec<String> =
        results.map(|one| format!("- {}", cut::one_line(&one.event.text, 360))).collect();
    (!lines.is_empty()).then(|| Section::new("## Findings of subagents", lines, "").with_percent(6))
}
