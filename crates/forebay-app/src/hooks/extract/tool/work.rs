//! Extracts events of tasks, plans, subagents, skills and MCP tools.

use forebay_domain::hook::{TodoItem, TodoState, ToolAction};
use forebay_domain::{Event, EventKind};

pub(super) fn read(action: &ToolAction) -> Vec<Event> {
    match action {
        ToolAction::Todo { items } => items.iter().map(task).collect(),
        ToolAction::Plan { text } if !text.is_empty() => {
            vec![Event::new(EventKind::Plan, "plan", text)]
        }
        ToolAction::Task { description, agent } if !description.is_empty() => {
            let agent = agent.as_deref().unwrap_or("subagent");
            vec![Event::new(EventKind::Subagent, description, &format!("{agent}: {description}"))]
        }
        ToolAction::Skill { name } if !name.is_empty() => {
            vec![Event::new(EventKind::Skill, name, name)]
        }
        ToolAction::Mcp { server, tool } => vec![mcp(server.as_deref(), tool)],
        _ => Vec::new(),
    }
}

/// Returns the event of a task, identified by its id or else by its text; the text starts with its state.
fn task(item: &TodoItem) -> Event {
    let state = match item.state {
        TodoState::Open => "open",
        TodoState::Active => "in progress",
        TodoState::Done => "done",
        TodoState::Dropped => "dropped",
    };
    match &item.id {
        Some(id) if item.text.is_empty() => Event::new(EventKind::Task, &format!("#{id}"), state),
        Some(id) => {
            Event::new(EventKind::Task, &format!("#{id}"), &format!("{state}: {}", item.text))
        }
        None => Event::new(EventKind::Task, &item.text, state),
    }
}

fn mcp(server: Option<&str>, tool: &str) -> Event {
    let name = server.map_or_else(|| tool.to_owned(), |server| format!("{server}/{tool}"));
    Event::new(EventKind::Mcp, &name, &name)
}
