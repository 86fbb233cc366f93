//! Codex CLI: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.

use serde::Deserialize;
use serde_json::Value;

use super::{
    Format, Item, Malformed, Said, Shape, Speaker, input_of, is_jsonl, is_object, says, text_of,
    word,
};
use crate::setup::Base;

const CODEX_HOME: Base = Base::EnvOr("CODEX_HOME", ".codex");

pub(super) static FORMAT: Format = Format {
    host: "codex",
    folders: &[(CODEX_HOME, "sessions"), (CODEX_HOME, "archived_sessions")],
    is_transcript: |path| is_jsonl(path) && path.contains("rollout-"),
    begins_with: |line| line["type"] == "session_meta",
    shape: Shape::Lines,
    shells: &["exec_command", "shell", "shell_command", "write_stdin"],
    project_file: None,
    read,
};

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    timestamp: Option<String>,
    #[serde(default)]
    payload: Value,
}

fn read(line: &[u8], items: &mut Vec<Item>) -> Result<(), Malformed> {
    const KINDS: &[&str] = &["response_item", "session_meta", "compacted"];
    if !is_object(line) {
        return Err(Malformed);
    }
    // What is shown while a turn runs stands in lines of its own, a second time.
    if !says(line, "type", KINDS) {
        return Ok(());
    }
    let line: Line = serde_json::from_slice(line)?;
    let said = |by, text: String| {
        let id = word(&line.payload, "id");
        Item::Said(Said { by, id, text, at: line.timestamp.clone(), is_aside: false })
    };
    match line.kind.as_str() {
        "session_meta" => items.push(Item::Place {
            session: word(&line.payload, "id"),
            cwd: word(&line.payload, "cwd"),
            branch: line.payload.get("git").and_then(|git| word(git, "branch")),
        }),
        "compacted" => {
            let text = word(&line.payload, "message").unwrap_or_default();
            items.push(said(Speaker::Summary, text));
        }
        "response_item" => items.extend(response_item(&line, said)),
        _ => {}
    }
    Ok(())
}

fn response_item(line: &Line, said: impl Fn(Speaker, String) -> Item) -> Option<Item> {
    let payload = &line.payload;
    let text = |key: &str| word(payload, key).unwrap_or_default();
    match payload["type"].as_str()? {
        "message" => {
            let by = match payload["role"].as_str()? {
                "user" => Speaker::User,
                "assistant" => Speaker::Assistant,
                _ => return None,
            };
            let words = text_of(&payload["content"]);
            (!is_of_the_host(&words)).then(|| said(by, words))
        }
        "function_call" => {
            let input = serde_json::from_str(&text("arguments")).unwrap_or_default();
            Some(Item::Called {
                call: text("call_id"),
                tool: tool(payload),
                input: input_of(&input),
            })
        }
        "custom_tool_call" => {
            Some(Item::Called { call: text("call_id"), tool: tool(payload), input: text("input") })
        }
        "local_shell_call" => Some(Item::Called {
            call: text("call_id"),
            tool: "shell".to_owned(),
            input: input_of(&payload["action"]),
        }),
        "function_call_output" | "custom_tool_call_output" => {
            let (text_of_output, failed) = output(&payload["output"]);
            Some(Item::Returned {
                call: text("call_id"),
                text: text_of_output,
                failed,
                at: line.timestamp.clone(),
            })
        }
        _ => None,
    }
}

/// A tool's name, with that of its server.
fn tool(payload: &Value) -> String {
    let name = word(payload, "name").unwrap_or_default();
    match word(payload, "namespace") {
        Some(server) => format!("{server}__{name}"),
        None => name,
    }
}

/// The text of a result, which older releases wrap in JSON with the exit code.
fn output(output: &Value) -> (String, bool) {
    let plain = text_of(output);
    let wrapped: Option<Value> =
        plain.starts_with("{\"output\"").then(|| serde_json::from_str(&plain).ok()).flatten();
    match wrapped {
        Some(inner) => {
            let failed = inner["metadata"]["exit_code"].as_i64().is_some_and(|code| code != 0);
            (text_of(&inner["output"]), failed)
        }
        None => (plain, output["success"] == false),
    }
}

/// What the host says under the user's name.
fn is_of_the_host(text: &str) -> bool {
    [
        "# AGENTS.md instructions",
        "<environment_context>",
        "<user_instructions>",
        "<permissions instructions>",
        "<turn_aborted>",
    ]
    .iter()
    .any(|start| text.trim_start().starts_with(start))
}
