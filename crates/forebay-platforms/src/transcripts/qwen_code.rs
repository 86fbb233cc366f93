//! Qwen Code: `projects/<folder>/chats/<session>.jsonl`.

use serde_json::Value;

use super::{
    Item, MalformedLine, Message, Request, Role, Storage, ToolCall, TranscriptFormat, content_text,
    has_field_value, is_jsonl, is_object, spoken, string_field,
};
use crate::folders::BaseDir;
use crate::{billed_tokens, machine_text};

pub(crate) static FORMAT: TranscriptFormat = TranscriptFormat {
    folders: &[(BaseDir::EnvOr("QWEN_HOME", ".qwen"), "projects")],
    is_transcript: |path| path.contains("chats/") && is_jsonl(path),
    is_first_line,
    storage: Storage::Lines,
    shell_aliases: &[],
    project_file: None,
    is_heading: |_| false,
    parse_line,
};

/// Whether a line is one of Qwen Code's; Claude Code's have the other fields, too.
pub(super) fn is_first_line(line: &Value) -> bool {
    line.get("sessionId").is_some() && line.get("provenance").is_some()
}

fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    if !is_object(line) {
        return Err(MalformedLine);
    }
    let is_compaction = has_field_value(line, "subtype", &[COMPACTION]);
    // The other lines are bookkeeping of the host.
    if !is_compaction && !has_field_value(line, "role", &["user", "model"]) {
        return Ok(());
    }
    let line: Value = serde_json::from_slice(line)?;
    if line["subtype"] == COMPACTION {
        let (role, timestamp) = (Role::Summary, string_field(&line, "timestamp"));
        let (id, text) = (string_field(&line, "uuid"), String::new());
        items.push(Item::Message(Message { role, id, text, timestamp, is_sidechain: false }));
        return Ok(());
    }
    let parts = &line["message"]["parts"];
    let timestamp = string_field(&line, "timestamp");
    items.push(Item::Context {
        session: string_field(&line, "sessionId"),
        cwd: string_field(&line, "cwd"),
        branch: string_field(&line, "gitBranch"),
    });
    items.extend(request(&line).map(Item::Request));
    if let Some(role) = speaker(&line)
        && let Some(text) = spoken(role, &content_text(parts), &machine_text::QWEN_CODE)
    {
        let (id, timestamp) = (string_field(&line, "uuid"), timestamp.clone());
        items.push(Item::Message(Message { role, id, text, timestamp, is_sidechain: false }));
    }
    for part in parts.as_array().into_iter().flatten() {
        items.extend(tool_item(part, timestamp.as_deref()));
    }
    Ok(())
}

/// The subtype of the line that tells that the conversation was compacted.
const COMPACTION: &str = "chat_compression";

/// Who wrote the texts of a line; notices to the model are nobody's words.
fn speaker(line: &Value) -> Option<Role> {
    match line["provenance"].as_str()? {
        "real_user" => Some(Role::User),
        "assistant_output" => Some(Role::Assistant),
        _ => None,
    }
}

/// The request that a line answers. All tokens that are not of the prompt are output, thoughts included.
fn request(line: &Value) -> Option<Request> {
    let usage = &line["usageMetadata"];
    let prompt = &usage["promptTokenCount"];
    let total = billed_tokens::count(&usage["totalTokenCount"])?;
    let output = total.checked_sub(billed_tokens::count(prompt)?)?;
    let cached = &usage["cachedContentTokenCount"];
    Some(Request {
        id: string_field(line, "uuid")?,
        model: Some(string_field(line, "model")?),
        tokens: billed_tokens::inclusive(prompt, cached, &Value::Null, output)?,
        timestamp: string_field(line, "timestamp"),
        agent: None,
        follows_answer: false,
    })
}

/// A part of a message that is a call of a tool, or its result.
fn tool_item(part: &Value, timestamp: Option<&str>) -> Option<Item> {
    if let Some(call) = part.get("functionCall") {
        let id = string_field(call, "id").unwrap_or_default();
        let tool = string_field(call, "name").unwrap_or_default();
        return Some(Item::ToolCall(ToolCall::new(id, tool, &call["args"])));
    }
    let result = part.get("functionResponse")?;
    let response = &result["response"];
    let error = string_field(response, "error");
    Some(Item::ToolResult {
        id: string_field(result, "id").unwrap_or_default(),
        is_error: error.is_some(),
        text: error.or_else(|| string_field(response, "output")).unwrap_or_default(),
        timestamp: timestamp.map(str::to_owned),
    })
}
