//! Decodes the input of a tool.
//!
//! Field names differ less between hosts than tool names, so one list of names per meaning serves all.

use forebay_domain::hook::{TodoItem, TodoState, ToolAction, ToolKind};
use forebay_text::shell_quote;
use serde_json::{Value, json};

use crate::platform::McpToolNames;

const COMMAND_FIELDS: &[&str] = &["command", "commands", "command_line", "CommandLine", "cmd"];
/// The field with the arguments of a command.
const ARGUMENTS_FIELD: &str = "args";
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
/// No host sends more tasks in a call; the rest of a longer list is ignored.
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
        ToolKind::Shell => ToolAction::Shell { command: commands(input).join("\n") },
        ToolKind::Read => ToolAction::Read { paths: texts(input, PATH_FIELDS) },
        ToolKind::Edit => ToolAction::Edit { paths: edited_files(input) },
        ToolKind::Write => ToolAction::Write { paths: texts(input, PATH_FIELDS) },
        ToolKind::Search => ToolAction::Search {
            pattern: first(input, PATTERN_FIELDS),
            path: texts(input, PATH_FIELDS).into_iter().next(),
        },
        ToolKind::Fetch => ToolAction::Fetch { urls: urls(input) },
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

/// All commands of a shell tool's input, because rules judge each: text, a list of them, or a program with arguments.
fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(commands).collect(),
        Value::Object(fields) => {
            let named = COMMAND_FIELDS.iter().filter_map(|name| fields.get(*name));
            let arguments = fields.get(ARGUMENTS_FIELD).map(commands).unwrap_or_default();
            let with_arguments = |command: String| match arguments.as_slice() {
                [] => command,
                words => format!("{command} {}", shell_quote::arguments(words)),
            };
            named.flat_map(commands).map(with_arguments).collect()
        }
        _ => Vec::new(),
    }
}

/// The input of a shell tool with another command; `None` if it has more than one command, or arguments.
pub(crate) fn with_command(input: &Value, command: &str) -> Option<Value> {
    let mut fields = input.as_object()?.clone();
    let mut named = fields.iter_mut().filter(|(name, _)| COMMAND_FIELDS.contains(&name.as_str()));
    let (_, field) = named.next()?;
    if named.next().is_some() || input.get(ARGUMENTS_FIELD).is_some() {
        return None;
    }
    *field = if field.is_array() { json!([command]) } else { command.into() };
    Some(fields.into())
}

/// All addresses of a fetch: in the input, or in each request of a list.
fn urls(input: &Value) -> Vec<String> {
    match input.get("requests").and_then(Value::as_array) {
        Some(requests) => requests.iter().flat_map(urls).collect(),
        None => texts(input, URL_FIELDS),
    }
}

fn first(input: &Value, names: &[&str]) -> String {
    texts(input, names).into_iter().next().unwrap_or_default()
}

/// The strings in the first of these fields that exists: one, or a list.
fn texts(input: &Value, names: &[&str]) -> Vec<String> {
    let found = names.iter().find_map(|name| input.get(name).filter(|value| !value.is_null()));
    match found {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(item).collect(),
        _ => Vec::new(),
    }
}

/// An item of a list: a string, or an object with a path.
fn item(value: &Value) -> Option<String> {
    let named = || PATH_FIELDS.iter().find_map(|name| value.get(name)?.as_str());
    value.as_str().or_else(named).map(str::to_owned)
}

/// The files of an edit: those that fields name, and those in the header lines of a patch.
fn edited_files(input: &Value) -> Vec<String> {
    let patch = input.as_str().map(str::to_owned);
    let patch = patch.unwrap_or_else(|| first(input, &["patch", "input", "command", "patchText"]));
    let mut files = texts(input, PATH_FIELDS);
    files.extend(patch_files(&patch));
    files
}

fn patch_files(patch: &str) -> Vec<String> {
    const HEADERS: &[&str] =
        &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let named =
        |line: &str| HEADERS.iter().find_map(|header| line.strip_prefix(header)).map(str::to_owned);
    patch.lines().filter_map(named).collect()
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
    fn every_command_of_a_call_is_read() {
        for (input, expected) in [
            (json!({"command": "make"}), "make"),
            (json!({"commands": ["make", "touch x"]}), "make\ntouch x"),
            (json!({"commands": [{"command": "touch", "args": ["a b"]}, "ls"]}), "touch 'a b'\nls"),
            (json!({"commands": {"command": "touch", "args": ["x"]}}), "touch x"),
            (json!({"command": "ls", "commands": ["touch x"]}), "ls\ntouch x"),
            (json!([{"command": "touch x"}]), "touch x"),
            (json!(["touch x"]), "touch x"),
            (json!("touch x"), "touch x"),
            (json!({"cmd": "touch x", "timeout": 3}), "touch x"),
        ] {
            assert_eq!(commands(&input).join("\n"), expected, "{input}");
        }
        let long = vec!["ls"; 1_000];
        assert_eq!(commands(&json!({ "commands": long })).len(), 1_000);
    }

    #[test]
    fn every_address_of_a_fetch_is_read() {
        for (input, expected) in [
            (json!({"url": "https://a.b"}), "https://a.b"),
            (json!({"urls": ["https://a.b", "https://c.d"]}), "https://a.b https://c.d"),
            (
                json!({"requests": [{"url": "https://a.b", "prompt": "x"}, {"url": "https://c.d"}]}),
                "https://a.b https://c.d",
            ),
            (json!({}), ""),
        ] {
            assert_eq!(urls(&input).join(" "), expected, "{input}");
        }
    }

    #[test]
    fn every_file_of_an_edit_is_read() {
        let patch = "*** Begin Patch\n*** Update File: b\n*** Move to: c\n";
        for (input, expected) in [
            (json!({"file_path": "a", "old_string": "x"}), "a"),
            (json!({"input": patch}), "b c"),
            (json!({"path": "a", "input": patch}), "a b c"),
            (json!(patch), "b c"),
        ] {
            assert_eq!(edited_files(&input).join(" "), expected, "{input}");
        }
    }

    #[test]
    fn only_a_single_command_is_replaced() {
        for (input, expected) in [
            (json!({"command": "make", "x": 1}), Some(json!({"command": "no", "x": 1}))),
            (json!({"commands": ["a", "b"]}), Some(json!({"commands": ["no"]}))),
            (json!({"command": "ls", "commands": ["touch x"]}), None),
            (json!({"command": "touch", "args": ["x"]}), None),
            (json!(["touch x"]), None),
            (json!({}), None),
        ] {
            assert_eq!(with_command(&input, "no"), expected, "{input}");
        }
    }

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
