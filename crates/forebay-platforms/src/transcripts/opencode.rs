//! OpenCode: a SQLite database; each part of a message is read as a line of JSON.
//!
//! A line is `{"session", "directory", "message", "part"}`, the last two as the host stores them.

use serde_json::Value;

use super::{
    Item, MalformedLine, Message, Queries, Role, Storage, TranscriptFormat, input_summary, spoken,
    string_field,
};
use crate::folders::BaseDir;
use crate::machine_text;

pub(crate) static FORMAT: TranscriptFormat = TranscriptFormat {
    folders: &[(BaseDir::EnvOr("XDG_DATA_HOME", ".local/share"), "opencode")],
    is_transcript: |path| path == "opencode.db",
    is_first_line: |_| false,
    storage: Storage::Database(&QUERIES),
    shell_aliases: &[],
    project_file: None,
    parse_line,
};

static QUERIES: Queries = Queries {
    sessions: "SELECT id, directory,
            (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = session.id)
        FROM session ORDER BY time_created, id",
    lines: "SELECT part.rowid, json_object('session', session.id, 'directory', session.directory,
            'message', json(message.data), 'part', json(part.data))
        FROM part JOIN message ON message.id = part.message_id
            JOIN session ON session.id = part.session_id
        WHERE part.session_id = ?1 AND part.rowid > ?2 ORDER BY part.rowid",
};

fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    let line: Value = serde_json::from_slice(line)?;
    let (message, part) = (&line["message"], &line["part"]);
    let role = match message["role"].as_str().ok_or(MalformedLine)? {
        "assistant" if message["summary"] == true => Role::Summary,
        "assistant" => Role::Assistant,
        _ => Role::User,
    };
    let timestamp = message["time"]["created"].as_i64().map(|millis| millis.to_string());
    items.push(Item::Context {
        session: string_field(&line, "session"),
        cwd: string_field(&line, "directory"),
        branch: None,
    });
    match part["type"].as_str() {
        Some("text") if part["synthetic"] != true => {
            let text = string_field(part, "text").unwrap_or_default();
            items.extend(spoken(role, &text, &machine_text::OPENCODE).map(|text| {
                let id = None;
                Item::Message(Message { role, id, text, timestamp, is_sidechain: false })
            }));
        }
        Some("tool") => parse_tool(part, timestamp, items),
        _ => {}
    }
    Ok(())
}

fn parse_tool(part: &Value, timestamp: Option<String>, items: &mut Vec<Item>) {
    let id = string_field(part, "callID").unwrap_or_default();
    let (state, tool) = (&part["state"], string_field(part, "tool").unwrap_or_default());
    items.push(Item::ToolCall { id: id.clone(), tool, input: input_summary(&state["input"]) });
    if let Some(text) = string_field(state, "output").or_else(|| string_field(state, "error")) {
        items.push(Item::ToolResult { id, text, is_error: state["status"] == "error", timestamp });
    }
}
