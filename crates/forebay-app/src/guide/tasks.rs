//! Tasks that are not done.

use forebay_domain::EventKind;
use forebay_domain::event::Task;
use forebay_text::cut;

use super::facts::Facts;
use super::layout::Section;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let mut open: Vec<Task<'_>> = facts
        .of(EventKind::Task)
        .map(|recorded| Task::read(&recorded.event))
        .filter(Task::is_open)
        .collect();
    // In the order in which they were written down, what is being worked on first.
    open.reverse();
    open.sort_by_key(|task| task.state != "in progress");
    let line = |task: &Task<'_>| {
        let state = if task.state == "open" { String::new() } else { format!("[{}] ", task.state) };
        format!("- {state}{}", cut::one_line(task.words, 160))
    };
    let lines: Vec<String> = open.iter().map(line).collect();
    let title = format!("## Open tasks ({})", facts.told_number(lines.len(), EventKind::Task));
    (!lines.is_empty()).then(|| Section::new(title, lines, "ctx_history events=task").weighing(16))
}
