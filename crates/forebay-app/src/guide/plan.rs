//! The current plan and goals.

use forebay_domain::EventKind;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// Only the latest goals: many are mentioned in passing.
const MAX_GOALS: usize = 2;
const MAX_PLAN_LINES: usize = 12;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let goals = facts.events_of(EventKind::Goal).take(MAX_GOALS);
    let mut lines: Vec<String> =
        goals.map(|goal| format!("goal: {}", cut::one_line(&goal.event.text, 200))).collect();
    if let Some(plan) = facts.events_of(EventKind::Plan).next() {
        let steps = plan.event.text.lines().filter(|line| !line.trim().is_empty());
        lines.extend(steps.take(MAX_PLAN_LINES).map(|step| cut::one_line(step, 160)));
    }
    let more = "ctx_history events=plan";
    (!lines.is_empty()).then(|| Section::new("## Plan and goal", lines, more).with_percent(12))
}
