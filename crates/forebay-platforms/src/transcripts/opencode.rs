//! OpenCode: a SQLite file, each part of a message a line that the store hands out.
//!
//! Such a line is `{"session", "directory", "message", "part"}`, the last two as the host keeps them.

use serde_json::Value;

use super::{Format, Item, Malformed, Said, Shape, Speaker, input_of, word};
use crate::setup::Base;

pub(super) static FORMAT: Format = Format {
    host: "opencode",
    folders: &[(Base::EnvOr("XDG_DATA_HOME", ".local/share"), "opencode")],
    is_transcript: |path| path == "opencode.db",
    begins_with: |_| false,
    shape: Shape::Database,
    shells: &[],
    project_file: None,
    read,
};

fn read(line: &[u8], items: &mut Vec<Item>) -> Result<(), Malformed> {
    let line: Value = serde_json::from_slice(line)?;
    let (message, part) = (&line["message"], &line["part"]);
    let by = match message["role"].as_str().ok_or(Malformed)? {
        "assistant" if message["summary"] == true => Speaker::Summary,
        "assistant" => Speaker::Assistant,
        _ => Speaker::User,
    };
    let at = message["time"]["created"].as_i64().map(|millis| millis.to_string());
    items.push(Item::Place {
        session: word(&line, "session"),
        cwd: word(&line, "directory"),
        branch: None,
    });
    match part["type"].as_str() {
        Some("text") if part["synthetic"] != true => {
            let text = word(part, "text").unwrap_or_default();
            items.push(Item::Said(Said { by, id: None, text, at, is_aside: false }));
        }
        Some("tool") => read_tool(part, at, items),
        _ => {}
    }
    Ok(())
}

fn read_tool(part: &Value, at: Option<String>, items: &mut Vec<Item>) {
    let call = word(part, "callID").unwrap_or_default();
    let (state, tool) = (&part["state"], word(part, "tool").unwrap_or_default());
    items.push(Item::Called { call: call.clone(), tool, input: input_of(&state["input"]) });
    if let Some(text) = word(state, "output").or_else(|| word(state, "error")) {
        items.push(Item::Returned { call, text, failed: state["status"] == "error", at });
    }
}
