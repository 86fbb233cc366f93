//! The plan, and what the work is for.

use forebay_domain::EventKind;
use forebay_text::cut;

use super::facts::Facts;
use super::layout::Section;

/// Goals that are said in passing are many; the last ones count.
const MOST_GOALS: usize = 2;
const MOST_PLAN_LINES: usize = 12;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let goals = facts.of(EventKind::Goal).take(MOST_GOALS);
    let mut lines: Vec<String> =
        goals.map(|goal| format!("goal: {}", cut::one_line(&goal.event.text, 200))).collect();
    if let Some(plan) = facts.of(EventKind::Plan).next() {
        let steps = plan.event.text.lines().filter(|line| !line.trim().is_empty());
        lines.extend(steps.take(MOST_PLAN_LINES).map(|step| cut::one_line(step, 160)));
    }
    let more = "ctx_history events=plan";
    (!lines.is_empty()).then(|| Section::new("## Plan and goal", lines, more).weighing(12))
}
