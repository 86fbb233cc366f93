//! Gemini CLI: `tmp/<project>/chats/session-<time>.jsonl`.

use serde_json::Value;

use super::{
    Format, Item, Malformed, Said, Shape, Speaker, input_of, is_jsonl, is_object, text_of, word,
};
use crate::setup::Base;

pub(super) static FORMAT: Format = Format {
    host: "gemini-cli",
    folders: &[(Base::Home, ".gemini/tmp")],
    is_transcript: |path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        path.contains("chats/") && name.starts_with("session-") && is_jsonl(name)
    },
    begins_with: |line| line.get("projectHash").is_some(),
    shape: Shape::Lines,
    shells: &[],
    project_file: Some("../.project_root"),
    read,
};

fn read(line: &[u8], items: &mut Vec<Item>) -> Result<(), Malformed> {
    if !is_object(line) {
        return Err(Malformed);
    }
    let line: Value = serde_json::from_slice(line)?;
    if let Some(session) = word(&line, "sessionId") {
        items.push(Item::Place { session: Some(session), cwd: None, branch: None });
    }
    match line.get("messages").and_then(Value::as_array) {
        Some(messages) => messages.iter().for_each(|message| read_message(message, items)),
        None => read_message(&line, items),
    }
    Ok(())
}

fn read_message(message: &Value, items: &mut Vec<Item>) {
    let by = match message["type"].as_str() {
        Some("user") => Speaker::User,
        Some("gemini") => Speaker::Assistant,
        _ => return,
    };
    let text = text_of(&message["content"]);
    // The results of tools come back under the user's name; they stand with their calls, too.
    if !text.trim().is_empty() && !text.trim_start().starts_with("<session_context>") {
        let (id, at) = (word(message, "id"), word(message, "timestamp"));
        items.push(Item::Said(Said { by, id, text, at, is_aside: false }));
    }
    for call in message["toolCalls"].as_array().into_iter().flatten() {
        let id = word(call, "id").unwrap_or_default();
        let tool = word(call, "name").unwrap_or_default();
        items.push(Item::Called { call: id.clone(), tool, input: input_of(&call["args"]) });
        if let Some(result) = call.get("result") {
            items.push(Item::Returned {
                call: id,
                text: result_of(result),
                failed: call["status"] == "error",
                at: word(call, "timestamp"),
            });
        }
    }
}

fn result_of(result: &Value) -> String {
    let parts = result.as_array().into_iter().flatten();
    let texts = parts.flat_map(|part| {
        let response = &part["functionResponse"]["response"];
        ["output", "error", "content"]
            .iter()
            .filter_map(|key| word(response, key))
            .collect::<Vec<_>>()
    });
    texts.collect::<Vec<_>>().join("\n")
}
