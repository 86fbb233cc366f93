//! Codex CLI: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.

use serde::Deserialize;
use serde_json::Value;

use super::{
    Item, MalformedLine, Message, Request, Role, Storage, ToolCall, TranscriptFormat, content_text,
    has_field_value, is_jsonl, is_object, spoken, string_field,
};
use crate::folders::BaseDir;
use crate::{billed_tokens, machine_text};

const CODEX_HOME: BaseDir = BaseDir::EnvOr("CODEX_HOME", ".codex");

pub(crate) static FORMAT: TranscriptFormat = TranscriptFormat {
    folders: &[(CODEX_HOME, "sessions"), (CODEX_HOME, "archived_sessions")],
    is_transcript: |path| is_jsonl(path) && path.contains("rollout-"),
    is_first_line: |line| line["type"] == "session_meta",
    storage: Storage::Lines,
    shell_aliases: &["exec_command", "shell", "shell_command", "write_stdin"],
    project_file: None,
    is_heading: |line| has_field_value(line, "type", &["session_meta", "thread_settings_applied"]),
    parse_line,
};

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    timestamp: Option<String>,
    #[serde(default)]
    payload: Value,
}

fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    const KINDS: &[&str] = &[
        "response_item",
        "session_meta",
        "compacted",
        "thread_settings_applied",
        "token_usage_record",
    ];
    if !is_object(line) {
        return Err(MalformedLine);
    }
    // Lines for display repeat what other lines record: skip them without parsing.
    if !has_field_value(line, "type", KINDS) {
        return Ok(());
    }
    let line: Line = serde_json::from_slice(line)?;
    let message = |role, text: String| {
        let id = string_field(&line.payload, "id");
        Item::Message(Message {
            role,
            id,
            text,
            timestamp: line.timestamp.clone(),
            is_sidechain: false,
        })
    };
    match line.kind.as_str() {
        "session_meta" => items.push(Item::Context {
            session: string_field(&line.payload, "id"),
            cwd: string_field(&line.payload, "cwd"),
            branch: line.payload.get("git").and_then(|git| string_field(git, "branch")),
        }),
        "compacted" => {
            let text = string_field(&line.payload, "message").unwrap_or_default();
            items.push(message(Role::Summary, text));
        }
        "response_item" => items.extend(response_item(&line, message)),
        "event_msg" => items.extend(model(&line.payload["thread_settings"]).map(Item::Model)),
        "token_usage_record" => items.extend(request(&line).map(Item::Request)),
        _ => {}
    }
    Ok(())
}

/// The model of the settings of a thread; that of another provider with the provider, whose prices are its own.
fn model(settings: &Value) -> Option<String> {
    let name = string_field(settings, "model")?;
    match string_field(settings, "model_provider_id") {
        Some(provider) if provider != "openai" => Some(format!("{provider}/{name}")),
        _ => Some(name),
    }
}

fn request(line: &Line) -> Option<Request> {
    let usage = &line.payload["usage"];
    let output = billed_tokens::count(&usage["output_tokens"])?;
    let [input, read, written] =
        ["input_tokens", "cached_input_tokens", "cache_write_input_tokens"].map(|key| &usage[key]);
    Some(Request {
        id: string_field(&line.payload, "response_id")?,
        model: None,
        tokens: billed_tokens::inclusive(input, read, written, output)?,
        timestamp: line.timestamp.clone(),
        agent: None,
        follows_answer: true,
    })
}

fn response_item(line: &Line, message: impl Fn(Role, String) -> Item) -> Option<Item> {
    let payload = &line.payload;
    let text = |key: &str| string_field(payload, key).unwrap_or_default();
    let call = |call: ToolCall| Some(Item::ToolCall(call.with_timestamp(line.timestamp.clone())));
    match payload["type"].as_str()? {
        "message" => {
            let role = match payload["role"].as_str()? {
                "user" => Role::User,
                "assistant" => Role::Assistant,
                _ => return None,
            };
            let text = content_text(&payload["content"]);
            spoken(role, &text, &machine_text::CODEX).map(|text| message(role, text))
        }
        "function_call" => {
            let input = serde_json::from_str(&text("arguments")).unwrap_or_default();
            call(ToolCall::new(text("call_id"), tool_name(payload), &input))
        }
        "custom_tool_call" => {
            call(ToolCall::of_text(text("call_id"), tool_name(payload), text("input")))
        }
        "local_shell_call" => {
            call(ToolCall::new(text("call_id"), "shell".to_owned(), &payload["action"]))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let (text_of_output, is_error) = output(&payload["output"]);
            Some(Item::ToolResult {
                id: text("call_id"),
                text: text_of_output,
                is_error,
                timestamp: line.timestamp.clone(),
            })
        }
        _ => None,
    }
}

/// A tool's name, prefixed by its MCP server.
fn tool_name(payload: &Value) -> String {
    let name = string_field(payload, "name").unwrap_or_default();
    match string_field(payload, "namespace") {
        Some(server) => format!("{server}__{name}"),
        None => name,
    }
}

/// The text of a result, and whether it is an error; older releases wrap the text in JSON.
fn output(output: &Value) -> (String, bool) {
    let plain = content_text(output);
    let wrapped: Option<Value> =
        plain.starts_with("{\"output\"").then(|| serde_json::from_str(&plain).ok()).flatten();
    match wrapped {
        Some(inner) => {
            let is_error = inner["metadata"]["exit_code"].as_i64().is_some_and(|code| code != 0);
            (content_text(&inner["output"]), is_error)
        }
        None => (plain, output["success"] == false),
    }
}
