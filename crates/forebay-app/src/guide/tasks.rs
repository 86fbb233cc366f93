//! Open tasks and the steps of the plan.

use forebay_domain::EventKind;
use forebay_domain::event::Task;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

const MAX_PLAN_LINES: usize = 12;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let mut open: Vec<Task<'_>> = facts
        .events_of(EventKind::Task)
        .map(|recorded| Task::from_event(&recorded.event))
        .filter(Task::is_open)
        .collect();
    // Oldest first, and tasks in progress before the others.
    open.reverse();
    open.sort_by_key(|task| task.state != "in progress");
    let line = |task: &Task<'_>| {
        let state = if task.state == "open" { String::new() } else { format!("[{}] ", task.state) };
        format!("- {state}{}", cut::one_line(task.words, 160))
    };
    let mut lines: Vec<String> = open.iter().map(line).collect();
    let title = match lines.len() {
        0 => "## Plan".to_owned(),
        count => format!("## Open tasks ({})", facts.count_label(count, EventKind::Task)),
    };
    lines.extend(plan(facts));
    (!lines.is_empty()).then(|| Section::new(title, lines, "").with_percent(8))
}

/// Returns the steps of the last plan.
fn plan(facts: &SessionFacts) -> Vec<String> {
    let Some(plan) = facts.events_of(EventKind::Plan).next() else { return Vec::new() };
    let steps = plan.event.text.lines().filter(|line| !line.trim().is_empty());
    steps.take(MAX_PLAN_LINES).map(|step| format!("plan: {}", cut::one_line(step, 160))).collect()
}
