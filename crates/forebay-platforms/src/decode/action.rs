//! Decodes the input of a tool.
//!
//! Field names differ less between hosts than tool names, so one list of names per meaning serves all.

use forebay_domain::hook::{TodoItem, TodoState, ToolAction, ToolKind};
use serde_json::Value;

use crate::platform::McpToolNames;

pub(crate) const COMMAND_FIELDS: &[&str] =
    &["command", "commands", "command_line", "CommandLine", "cmd"];
const PATH_FIELDS: &[&str] = &[
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "notebook_path",
    "paths",
    "files",
    "operations",
    "TargetFile",
    "AbsolutePath",
    "target_file",
    "dir_path",
];
const PATTERN_FIELDS: &[&str] = &["pattern", "query", "regex", "queries", "Query"];
const URL_FIELDS: &[&str] = &["url", "urls", "Url", "prompt"];
const DESCRIPTION_FIELDS: &[&str] = &["description", "message", "prompt", "task"];
const AGENT_FIELDS: &[&str] = &["subagent_type", "agent_type", "agent", "agent_name"];
const SKILL_FIELDS: &[&str] = &["skill", "name", "command"];
const PLAN_FIELDS: &[&str] = &["plan", "explanation"];
const TODO_LIST_FIELDS: &[&str] = &["todos", "plan", "items", "tasks"];
const TODO_TEXT_FIELDS: &[&str] = &["content", "step", "subject", "title", "text", "description"];
const TODO_ID_FIELDS: &[&str] = &["id", "taskId", "task_id"];
/// No host sends more items in a call; the rest of a longer list is ignored.
const MAX_ITEMS: usize = 200;

/// Fields that select lines of a file.
const RANGE_FIELDS: &[&str] = &[
    "offset",
    "limit",
    "view_range",
    "viewRange",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "StartLine",
    "EndLine",
    "ranges",
    "pages",
];

/// Whether the input of a tool that reads files selects some lines.
pub(super) fn is_partial(input: &Value) -> bool {
    RANGE_FIELDS.iter().any(|name| input.get(name).is_some_and(|value| !value.is_null()))
}

/// Decodes the input of a tool of this kind.
pub(super) fn parse(kind: ToolKind, input: &Value, mcp: McpTool) -> ToolAction {
    match kind {
        ToolKind::Shell => ToolAction::Shell { command: texts(input, COMMAND_FIELDS).join("\n") },
        ToolKind::Read => ToolAction::Read { paths: texts(input, PATH_FIELDS) },
        ToolKind::Edit => ToolAction::Edit { paths: edited_files(input) },
        ToolKind::Write => ToolAction::Write { paths: texts(input, PATH_FIELDS) },
        ToolKind::Search => ToolAction::Search {
            pattern: first(input, PATTERN_FIELDS),
            path: texts(input, PATH_FIELDS).into_iter().next(),
        },
        ToolKind::Fetch => ToolAction::Fetch { url: first(input, URL_FIELDS) },
        ToolKind::WebSearch => ToolAction::WebSearch { query: first(input, PATTERN_FIELDS) },
        ToolKind::Mcp => mcp.into_action(),
        ToolKind::Task => ToolAction::Task {
            description: first(input, DESCRIPTION_FIELDS),
            agent: texts(input, AGENT_FIELDS).into_iter().next(),
        },
        ToolKind::Todo => ToolAction::Todo { items: todos(input) },
        ToolKind::Skill => ToolAction::Skill { name: first(input, SKILL_FIELDS) },
        ToolKind::Plan => ToolAction::Plan { text: first(input, PLAN_FIELDS) },
        ToolKind::Other => ToolAction::Other,
    }
}

/// Returns what a command is for, where the host asks its model to say so. Other tools have fields of this name for
/// text that they are to write.
pub(super) fn shell_description(action: &ToolAction, input: &Value) -> Option<String> {
    let is_shell = matches!(action, ToolAction::Shell { .. });
    let description = input.get("description").filter(|_| is_shell)?.as_str()?.trim();
    (!description.is_empty()).then(|| description.to_owned())
}

fn first(input: &Value, names: &[&str]) -> String {
    texts(input, names).into_iter().next().unwrap_or_default()
}

/// The strings in the first of these fields that exists: one, or a list.
fn texts(input: &Value, names: &[&str]) -> Vec<String> {
    let found = names.iter().find_map(|name| input.get(name).filter(|value| !value.is_null()));
    match found {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().take(MAX_ITEMS).filter_map(item).collect(),
        _ => Vec::new(),
    }
}

/// An item of a list: a string, or an object with a path.
fn item(value: &Value) -> Option<String> {
    let named = || PATH_FIELDS.iter().find_map(|name| value.get(name)?.as_str());
    value.as_str().or_else(named).map(str::to_owned)
}

/// The files of an edit; a patch names them in its header lines.
fn edited_files(input: &Value) -> Vec<String> {
    let named = texts(input, PATH_FIELDS);
    if !named.is_empty() {
        return named;
    }
    let patch = input.as_str().map(str::to_owned);
    let patch = patch.unwrap_or_else(|| first(input, &["patch", "input", "command", "patchText"]));
    patch_files(&patch)
}

fn patch_files(patch: &str) -> Vec<String> {
    const HEADERS: &[&str] =
        &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let named =
        |line: &str| HEADERS.iter().find_map(|header| line.strip_prefix(header)).map(str::to_owned);
    patch.lines().filter_map(named).take(MAX_ITEMS).collect()
}

fn todos(input: &Value) -> Vec<TodoItem> {
    let list = TODO_LIST_FIELDS.iter().find_map(|name| input.get(name)?.as_array());
    match list {
        Some(items) => items.iter().take(MAX_ITEMS).filter_map(todo).collect(),
        None => match TODO_LIST_FIELDS.iter().find_map(|name| input.get(name)?.as_str()) {
            Some(text) => text.lines().filter_map(checkbox).take(MAX_ITEMS).collect(),
            None => todo(input).into_iter().collect(),
        },
    }
}

/// Reads a line of a list that a host sends as text: `- [x] done`.
fn checkbox(line: &str) -> Option<TodoItem> {
    let item = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    let (mark, text) = item.strip_prefix('[')?.split_once(']')?;
    let state = match mark.trim() {
        "x" | "X" => TodoState::Done,
        "~" | "-" | ">" | "/" => TodoState::Active,
        _ => TodoState::Open,
    };
    Some(TodoItem { id: None, text: text.trim().to_owned(), state })
}

fn todo(value: &Value) -> Option<TodoItem> {
    let named = |names: &[&str]| names.iter().find_map(|name| value.get(name)?.as_str());
    let text = named(TODO_TEXT_FIELDS).or(value.as_str());
    let id = named(TODO_ID_FIELDS).map(str::to_owned);
    let state = named(&["status", "state"]).unwrap_or_default();
    (text.is_some() || id.is_some()).then(|| TodoItem {
        id,
        text: text.unwrap_or_default().to_owned(),
        state: todo_state(state),
    })
}

/// Sets the id of a new task, which some hosts send only in the result.
pub(super) fn set_new_task_id(action: &mut ToolAction, response: &Value) {
    let id = response.pointer("/task/id").and_then(Value::as_str);
    if let ToolAction::Todo { items } = action
        && let [item] = items.as_mut_slice()
    {
        item.id = item.id.take().or_else(|| id.map(str::to_owned));
    }
}

fn todo_state(name: &str) -> TodoState {
    match name {
        "in_progress" | "in-progress" | "active" => TodoState::Active,
        "completed" | "done" => TodoState::Done,
        "cancelled" | "canceled" | "deleted" => TodoState::Dropped,
        _ => TodoState::Open,
    }
}

/// The server and tool of an MCP call, as far as they are known.
#[derive(Debug)]
pub(super) struct McpTool {
    server: Option<String>,
    tool: Option<String>,
}

impl McpTool {
    /// Splits a tool's name; server and tool given in the payload take precedence.
    pub(super) fn new(
        format: McpToolNames,
        name: &str,
        server: Option<String>,
        tool: Option<String>,
    ) -> Self {
        let (named_server, named_tool) = split_name(format, name, server.as_deref());
        Self { server: server.or(named_server), tool: tool.or(named_tool) }
    }

    fn into_action(self) -> ToolAction {
        match self.tool {
            Some(tool) => ToolAction::Mcp { server: self.server, tool },
            None => ToolAction::Other,
        }
    }
}

fn split_name(
    format: McpToolNames,
    name: &str,
    server: Option<&str>,
) -> (Option<String>, Option<String>) {
    match format {
        McpToolNames::Joined { prefix, separator } => {
            let Some(rest) = name.strip_prefix(prefix) else { return (None, None) };
            let known =
                server.and_then(|server| rest.strip_prefix(server)?.strip_prefix(separator));
            match (known, rest.split_once(separator)) {
                (Some(tool), _) => (None, Some(tool.to_owned())),
                (None, Some((server, tool))) if !server.is_empty() => {
                    (Some(server.to_owned()), Some(tool.to_owned()))
                }
                _ => (None, None),
            }
        }
        McpToolNames::ToolOnly { prefix } => (None, name.strip_prefix(prefix).map(str::to_owned)),
        McpToolNames::Unknown => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tasks_may_be_text() {
        let input = serde_json::json!({"todos": "Plan:\n- [x] read\n- [~] write\n* [ ] test"});
        let found: Vec<(String, TodoState)> =
            todos(&input).into_iter().map(|item| (item.text, item.state)).collect();
        let expected = [
            ("read".to_owned(), TodoState::Done),
            ("write".to_owned(), TodoState::Active),
            ("test".to_owned(), TodoState::Open),
        ];
        assert_eq!(found, expected);
    }
}
