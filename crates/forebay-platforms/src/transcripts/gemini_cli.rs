//! Gemini CLI: `tmp/<project>/chats/session-<time>.jsonl`.

use serde_json::Value;

use super::{
    Item, MalformedLine, Message, Request, Role, Storage, ToolCall, TranscriptFormat, content_text,
    is_jsonl, is_object, spoken, string_field,
};
use crate::folders::BaseDir;
use crate::{billed_tokens, machine_text};

pub(crate) static FORMAT: TranscriptFormat = TranscriptFormat {
    folders: &[(BaseDir::Home, ".gemini/tmp")],
    is_transcript: |path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        path.contains("chats/") && name.starts_with("session-") && is_jsonl(name)
    },
    is_first_line: |line| line.get("projectHash").is_some(),
    storage: Storage::Lines,
    shell_aliases: &[],
    project_file: Some("../.project_root"),
    is_heading: |line| memchr::memmem::find(line, b"\"sessionId\"").is_some(),
    parse_line,
};

fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    if !is_object(line) {
        return Err(MalformedLine);
    }
    let line: Value = serde_json::from_slice(line)?;
    if let Some(session) = string_field(&line, "sessionId") {
        items.push(Item::Context { session: Some(session), cwd: None, branch: None });
    }
    match line.get("messages").and_then(Value::as_array) {
        Some(messages) => messages.iter().for_each(|message| parse_message(message, items)),
        None => parse_message(&line, items),
    }
    Ok(())
}

fn parse_message(message: &Value, items: &mut Vec<Item>) {
    let role = match message["type"].as_str() {
        Some("user") => Role::User,
        Some("gemini") => Role::Assistant,
        _ => return,
    };
    items.extend(request(message).map(Item::Request));
    let text = content_text(&message["content"]);
    // Tool results also come as user messages without text; they are recorded with their calls.
    if let Some(text) = spoken(role, &text, &machine_text::GEMINI_CLI) {
        let (id, timestamp) = (string_field(message, "id"), string_field(message, "timestamp"));
        items.push(Item::Message(Message { role, id, text, timestamp, is_sidechain: false }));
    }
    for call in message["toolCalls"].as_array().into_iter().flatten() {
        let id = string_field(call, "id").unwrap_or_default();
        let tool = string_field(call, "name").unwrap_or_default();
        items.push(Item::ToolCall(ToolCall::new(id.clone(), tool, &call["args"])));
        if let Some(result) = call.get("result") {
            items.push(Item::ToolResult {
                id,
                text: result_text(result),
                is_error: call["status"] == "error",
                timestamp: string_field(call, "timestamp"),
            });
        }
    }
}

/// The request that a message answers; thoughts are billed as output, the provider's own tools as input.
fn request(message: &Value) -> Option<Request> {
    let tokens = &message["tokens"];
    let (prompt, cached) = (&tokens["input"], &tokens["cached"]);
    let tool = billed_tokens::optional(&tokens["tool"])?;
    let output =
        billed_tokens::count(&tokens["output"])? + billed_tokens::optional(&tokens["thoughts"])?;
    let mut billed = billed_tokens::inclusive(prompt, cached, &Value::Null, output)?;
    billed.input += tool;
    Some(Request {
        id: string_field(message, "id")?,
        model: Some(string_field(message, "model")?),
        tokens: billed,
        timestamp: string_field(message, "timestamp"),
        agent: None,
        follows_answer: false,
    })
}

fn result_text(result: &Value) -> String {
    let parts = result.as_array().into_iter().flatten();
    let texts = parts.flat_map(|part| {
        let response = &part["functionResponse"]["response"];
        ["output", "error", "content"]
            .iter()
            .filter_map(|key| string_field(response, key))
            .collect::<Vec<_>>()
    });
    texts.collect::<Vec<_>>().join("\n")
}
