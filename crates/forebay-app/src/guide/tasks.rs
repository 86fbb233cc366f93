//! Open tasks.

use forebay_domain::EventKind;
use forebay_domain::event::Task;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

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
    let lines: Vec<String> = open.iter().map(line).collect();
    let title = format!("## Open tasks ({})", facts.count_label(lines.len(), EventKind::Task));
    (!lines.is_empty())
        .then(|| Section::new(title, lines, "ctx_history events=task").with_percent(16))
}
