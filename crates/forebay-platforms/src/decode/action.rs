//! What a tool was asked, from the fields hosts use for it.
//!
//! The names of fields differ less than the names of tools, so one list a meaning serves all hosts.

use forebay_domain::hook::{TodoItem, TodoState, ToolAction, ToolKind};
use serde_json::Value;

use crate::platform::McpNames;

pub(crate) const COMMAND: &[&str] = &["command", "commands", "command_line", "CommandLine", "cmd"];
const PATHS: &[&str] = &[
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
const PATTERN: &[&str] = &["pattern", "query", "regex", "queries", "Query"];
const URL: &[&str] = &["url", "urls", "Url", "prompt"];
const DESCRIPTION: &[&str] = &["description", "message", "prompt", "task"];
const AGENT: &[&str] = &["subagent_type", "agent_type", "agent", "agent_name"];
const SKILL: &[&str] = &["skill", "name", "command"];
const PLAN: &[&str] = &["plan", "explanation"];
const TODOS: &[&str] = &["todos", "plan", "items", "tasks"];
const TODO_TEXT: &[&str] = &["content", "step", "subject", "title", "text", "description"];
const TODO_ID: &[&str] = &["id", "taskId", "task_id"];
/// No host asks for more files at once; a longer list is somebody's test of us.
const MOST_ITEMS: usize = 200;

/// Reads the input of a tool of this kind.
pub(super) fn read(kind: ToolKind, input: &Value, mcp: McpTool) -> ToolAction {
    match kind {
        ToolKind::Shell => ToolAction::Shell { command: texts(input, COMMAND).join("\n") },
        ToolKind::Read => ToolAction::Read { paths: texts(input, PATHS) },
        ToolKind::Edit => ToolAction::Edit { paths: edited(input) },
        ToolKind::Write => ToolAction::Write { paths: texts(input, PATHS) },
        ToolKind::Search => ToolAction::Search {
            pattern: first(input, PATTERN),
            path: texts(input, PATHS).into_iter().next(),
        },
        ToolKind::Fetch => ToolAction::Fetch { url: first(input, URL) },
        ToolKind::WebSearch => ToolAction::WebSearch { query: first(input, PATTERN) },
        ToolKind::Mcp => mcp.into_action(),
        ToolKind::Task => ToolAction::Task {
            description: first(input, DESCRIPTION),
            agent: texts(input, AGENT).into_iter().next(),
        },
        ToolKind::Todo => ToolAction::Todo { items: todos(input) },
        ToolKind::Skill => ToolAction::Skill { name: first(input, SKILL) },
        ToolKind::Plan => ToolAction::Plan { text: first(input, PLAN) },
        ToolKind::Other => ToolAction::Other,
    }
}

fn first(input: &Value, names: &[&str]) -> String {
    texts(input, names).into_iter().next().unwrap_or_default()
}

/// The texts under the first of these names that is there: one, or a list of them.
fn texts(input: &Value, names: &[&str]) -> Vec<String> {
    let found = names.iter().find_map(|name| input.get(name).filter(|value| !value.is_null()));
    match found {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().take(MOST_ITEMS).filter_map(item).collect(),
        _ => Vec::new(),
    }
}

/// An item of a list: a text, or an object that names a file.
fn item(value: &Value) -> Option<String> {
    let named = || PATHS.iter().find_map(|name| value.get(name)?.as_str());
    value.as_str().or_else(named).map(str::to_owned)
}

/// The files of an edit; a patch names them in its own lines.
fn edited(input: &Value) -> Vec<String> {
    let named = texts(input, PATHS);
    if !named.is_empty() {
        return named;
    }
    let patch = input.as_str().map(str::to_owned);
    let patch = patch.unwrap_or_else(|| first(input, &["patch", "input", "command", "patchText"]));
    patch_files(&patch)
}

fn patch_files(patch: &str) -> Vec<String> {
    const HEADS: &[&str] =
        &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let named =
        |line: &str| HEADS.iter().find_map(|head| line.strip_prefix(head)).map(str::to_owned);
    patch.lines().filter_map(named).take(MOST_ITEMS).collect()
}

fn todos(input: &Value) -> Vec<TodoItem> {
    let list = TODOS.iter().find_map(|name| input.get(name)?.as_array());
    match list {
        Some(items) => items.iter().take(MOST_ITEMS).filter_map(todo).collect(),
        None => todo(input).into_iter().collect(),
    }
}

fn todo(value: &Value) -> Option<TodoItem> {
    let named = |names: &[&str]| names.iter().find_map(|name| value.get(name)?.as_str());
    let text = named(TODO_TEXT).or(value.as_str());
    let id = named(TODO_ID).map(str::to_owned);
    let state = named(&["status", "state"]).unwrap_or_default();
    (text.is_some() || id.is_some()).then(|| TodoItem {
        id,
        text: text.unwrap_or_default().to_owned(),
        state: todo_state(state),
    })
}

/// Some hosts name a new task only in their answer.
pub(super) fn name_new_task(action: &mut ToolAction, response: &Value) {
    let id = response.pointer("/task/id").and_then(Value::as_str);
    if let ToolAction::Todo { items } = action
        && let [item] = items.as_mut_slice()
    {
        item.id = item.id.take().or_else(|| id.map(str::to_owned));
    }
}

fn todo_state(word: &str) -> TodoState {
    match word {
        "in_progress" | "in-progress" | "active" => TodoState::Active,
        "completed" | "done" => TodoState::Done,
        "cancelled" | "canceled" | "deleted" => TodoState::Dropped,
        _ => TodoState::Open,
    }
}

/// A tool of an MCP server, or nothing.
#[derive(Debug)]
pub(super) struct McpTool {
    server: Option<String>,
    tool: Option<String>,
}

impl McpTool {
    /// Takes a name apart; what the payload says of server and tool counts more.
    pub(super) fn read(
        names: McpNames,
        name: &str,
        server: Option<String>,
        tool: Option<String>,
    ) -> Self {
        let (named_server, named_tool) = split(names, name, server.as_deref());
        Self { server: server.or(named_server), tool: tool.or(named_tool) }
    }

    fn into_action(self) -> ToolAction {
        match self.tool {
            Some(tool) => ToolAction::Mcp { server: self.server, tool },
            None => ToolAction::Other,
        }
    }
}

fn split(names: McpNames, name: &str, server: Option<&str>) -> (Option<String>, Option<String>) {
    match names {
        McpNames::Joined { prefix, between } => {
            let Some(rest) = name.strip_prefix(prefix) else { return (None, None) };
            let known = server.and_then(|server| rest.strip_prefix(server)?.strip_prefix(between));
            match (known, rest.split_once(between)) {
                (Some(tool), _) => (None, Some(tool.to_owned())),
                (None, Some((server, tool))) if !server.is_empty() => {
                    (Some(server.to_owned()), Some(tool.to_owned()))
                }
                _ => (None, None),
            }
        }
        McpNames::ToolOnly { prefix } => (None, name.strip_prefix(prefix).map(str::to_owned)),
        McpNames::Unknown => (None, None),
    }
}
