//! Claude Code: `projects/<folder>/<session>.jsonl`; subagents have their own files or lines.

use serde::Deserialize;
use serde_json::Value;

use super::qwen_code::is_first_line as is_qwen_code;
use super::{
    Item, MalformedLine, Message, Request, Role, Storage, ToolCall, TranscriptFormat, content_text,
    has_field_value, is_jsonl, is_object, spoken,
};
use crate::billed_tokens;
use crate::folders::BaseDir;
use crate::machine_text::CLAUDE_CODE;

pub(crate) static FORMAT: TranscriptFormat = TranscriptFormat {
    folders: &[(BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ".claude"), "projects")],
    is_transcript: is_jsonl,
    is_first_line: |line| {
        line.get("sessionId").is_some() && line.get("type").is_some() && !is_qwen_code(line)
            || line.get("leafUuid").is_some()
    },
    storage: Storage::Lines,
    shell_aliases: &[],
    project_file: None,
    is_heading: |_| false,
    parse_line,
};

/// The fields in use. `toolUseResult` repeats a result and is ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    message: Option<LineMessage>,
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
    agent_id: Option<String>,
}

#[derive(Deserialize)]
struct LineMessage {
    #[serde(default)]
    content: Value,
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    usage: Value,
}

impl Line {
    fn subagent(&self) -> Option<String> {
        let name = || self.agent_id.clone().unwrap_or_else(|| UNNAMED_AGENT.to_owned());
        self.is_sidechain.then(name)
    }
}

/// The model of messages that Claude Code wrote itself.
const NO_MODEL: &str = "<synthetic>";
/// A subagent whose lines do not name it.
const UNNAMED_AGENT: &str = "sidechain";

fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    if !is_object(line) {
        return Err(MalformedLine);
    }
    // Most lines are bookkeeping of the host, and some are large: skip them without parsing.
    if !has_field_value(line, "role", &["user", "assistant"]) {
        return Ok(());
    }
    let line: Line = serde_json::from_slice(line)?;
    let role = match line.kind.as_str() {
        "user" if line.is_compact_summary => Role::Summary,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return Ok(()),
    };
    let Some(said) = &line.message else { return Err(MalformedLine) };
    let branch = line.git_branch.clone().filter(|name| !name.is_empty() && name != "HEAD");
    items.push(Item::Context { session: line.session_id.clone(), cwd: line.cwd.clone(), branch });
    items.push(Item::Agent(line.subagent()));
    items.extend(request(&line, said).map(Item::Request));
    let content = &said.content;
    let message = |text: String| Message {
        role,
        id: line.uuid.clone(),
        text,
        timestamp: line.timestamp.clone(),
        is_sidechain: line.is_sidechain,
    };
    match content {
        Value::String(text) if !line.is_meta => {
            items.extend(spoken(role, text, &CLAUDE_CODE).map(|text| Item::Message(message(text))));
        }
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks
                .iter()
                .filter(|block| block["type"] == "text" && !line.is_meta)
                .filter_map(|block| spoken(role, block["text"].as_str()?, &CLAUDE_CODE))
                .collect();
            if !texts.is_empty() {
                items.push(Item::Message(message(texts.join("\n\n"))));
            }
            items.extend(
                blocks.iter().filter_map(|block| call_or_result(block, line.timestamp.as_ref())),
            );
        }
        _ => {}
    }
    Ok(())
}

/// The request that a message answers; each block of an answer is a line that repeats it.
fn request(line: &Line, message: &LineMessage) -> Option<Request> {
    Some(Request {
        id: message.id.clone()?,
        model: Some(message.model.clone().filter(|model| model != NO_MODEL)?),
        tokens: billed_tokens::anthropic(&message.usage)?,
        timestamp: line.timestamp.clone(),
        agent: line.subagent(),
        follows_answer: false,
    })
}

fn call_or_result(block: &Value, timestamp: Option<&String>) -> Option<Item> {
    let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str()? {
        "tool_use" => {
            Some(Item::ToolCall(ToolCall::new(text("id"), text("name"), &block["input"])))
        }
        "tool_result" => Some(Item::ToolResult {
            id: text("tool_use_id"),
            text: content_text(&block["content"]),
            is_error: block["is_error"] == true,
            timestamp: timestamp.cloned(),
        }),
        _ => None,
    }
}
