//! Claude Code: `projects/<folder>/<session>.jsonl`, subagents in files or lines of their own.

use serde::Deserialize;
use serde_json::Value;

use super::{
    Format, Item, Malformed, Said, Shape, Speaker, input_of, is_jsonl, is_object, says, text_of,
};
use crate::setup::Base;

pub(super) static FORMAT: Format = Format {
    host: "claude-code",
    folders: &[(Base::EnvOr("CLAUDE_CONFIG_DIR", ".claude"), "projects")],
    is_transcript: is_jsonl,
    begins_with: |line| {
        line.get("sessionId").is_some() && line.get("type").is_some()
            || line.get("leafUuid").is_some()
    },
    shape: Shape::Lines,
    shells: &[],
    project_file: None,
    read,
};

/// The fields that matter; a result stands a second time in `toolUseResult`, which is left alone.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    message: Option<Message>,
    uuid: Option<String>,
    session_id: Option<String>,
    cwd: Option<String>,
    git_branch: Option<String>,
    timestamp: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(default)]
    is_meta: bool,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

fn read(line: &[u8], items: &mut Vec<Item>) -> Result<(), Malformed> {
    if !is_object(line) {
        return Err(Malformed);
    }
    // Most lines are the host's own bookkeeping, and some of them are large.
    if !says(line, "role", &["user", "assistant"]) {
        return Ok(());
    }
    let line: Line = serde_json::from_slice(line)?;
    let by = match line.kind.as_str() {
        "user" if line.is_compact_summary => Speaker::Summary,
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        _ => return Ok(()),
    };
    let Some(Message { content }) = line.message else { return Err(Malformed) };
    let branch = line.git_branch.filter(|name| !name.is_empty() && name != "HEAD");
    items.push(Item::Place { session: line.session_id, cwd: line.cwd, branch });
    let said = |text: String| Said {
        by,
        id: line.uuid.clone(),
        text,
        at: line.timestamp.clone(),
        is_aside: line.is_sidechain,
    };
    match &content {
        Value::String(text) if !line.is_meta && !is_of_the_host(text) => {
            items.push(Item::Said(said(text.clone())));
        }
        Value::Array(blocks) => {
            let words: Vec<&str> = blocks
                .iter()
                .filter(|block| block["type"] == "text" && !line.is_meta)
                .filter_map(|block| block["text"].as_str())
                .filter(|text| !is_of_the_host(text))
                .collect();
            if !words.is_empty() {
                items.push(Item::Said(said(words.join("\n\n"))));
            }
            items.extend(
                blocks.iter().filter_map(|block| call_or_result(block, line.timestamp.as_ref())),
            );
        }
        _ => {}
    }
    Ok(())
}

fn call_or_result(block: &Value, at: Option<&String>) -> Option<Item> {
    let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str()? {
        "tool_use" => Some(Item::Called {
            call: text("id"),
            tool: text("name"),
            input: input_of(&block["input"]),
        }),
        "tool_result" => Some(Item::Returned {
            call: text("tool_use_id"),
            text: text_of(&block["content"]),
            failed: block["is_error"] == true,
            at: at.cloned(),
        }),
        _ => None,
    }
}

/// What the host says under the user's name: notices and what its own commands printed.
fn is_of_the_host(text: &str) -> bool {
    [
        "<local-command-",
        "<command-name>",
        "<command-message>",
        "<system-reminder>",
        "Caveat: The messages below",
    ]
    .iter()
    .any(|start| text.trim_start().starts_with(start))
}
