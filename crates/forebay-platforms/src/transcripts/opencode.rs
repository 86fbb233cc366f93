//! OpenCode: a SQLite database; each part of a message is read as a line of JSON.
//!
//! A line is `{"id", "session", "directory", "message", "part"}`, the last two as the host stores them.

use forebay_domain::usage::BilledTokens;
use serde_json::Value;

use super::{
    Item, MalformedLine, Message, Queries, Request, Role, Storage, ToolCall, TranscriptFormat,
    spoken, string_field,
};
use crate::folders::BaseDir;
use crate::{billed_tokens, machine_text};

pub(crate) static FORMAT: TranscriptFormat = TranscriptFormat {
    folders: &[(BaseDir::EnvOr("XDG_DATA_HOME", ".local/share"), "opencode")],
    is_transcript: |path| path == "opencode.db",
    is_first_line: |_| false,
    storage: Storage::Database(&QUERIES),
    shell_aliases: &[],
    project_file: None,
    is_heading: |_| false,
    parse_line,
};

static QUERIES: Queries = Queries {
    sessions: "SELECT id, directory,
            (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = session.id)
        FROM session ORDER BY time_created, id",
    lines: "SELECT part.rowid, json_object('id', part.id, 'session', session.id, 'directory', session.directory,
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
        Some("step-finish") => items.extend(request(&line, timestamp).map(Item::Request)),
        _ => {}
    }
    Ok(())
}

/// The request of a step. The provider is part of the model's name: others sell the same model at their own prices.
fn request(line: &Value, timestamp: Option<String>) -> Option<Request> {
    let (message, tokens) = (&line["message"], &line["part"]["tokens"]);
    let (provider, model) =
        (string_field(message, "providerID")?, string_field(message, "modelID")?);
    let count = |value: &Value| billed_tokens::optional(value);
    Some(Request {
        id: string_field(line, "id")?,
        model: Some(format!("{provider}/{model}")),
        tokens: BilledTokens {
            input: billed_tokens::count(&tokens["input"])?,
            cache_read: count(&tokens["cache"]["read"])?,
            cache_write: count(&tokens["cache"]["write"])?,
            cache_write_1h: 0,
            output: billed_tokens::count(&tokens["output"])? + count(&tokens["reasoning"])?,
        },
        timestamp,
        agent: None,
        follows_answer: true,
    })
}

fn parse_tool(part: &Value, timestamp: Option<String>, items: &mut Vec<Item>) {
    let id = string_field(part, "callID").unwrap_or_default();
    let (state, tool) = (&part["state"], string_field(part, "tool").unwrap_or_default());
    items.push(Item::ToolCall(ToolCall::new(id.clone(), tool, &state["input"])));
    if let Some(text) = string_field(state, "output").or_else(|| string_field(state, "error")) {
        items.push(Item::ToolResult { id, text, is_error: state["status"] == "error", timestamp });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_request() {
        let line = r#"{"id":"prt_1","session":"s","directory":"/p","message":{"role":"assistant",
            "modelID":"claude-opus-5","providerID":"anthropic","time":{"created":1794736488911}},
            "part":{"type":"step-finish","reason":"stop","tokens":{"total":1360,"input":1000,"output":10,
                "reasoning":50,"cache":{"write":100,"read":200}},"cost":0}}"#;
        let mut items = Vec::new();
        parse_line(line.as_bytes(), &mut items).unwrap();
        let Some(Item::Request(request)) = items.pop() else { panic!("{items:?}") };
        assert_eq!(request.model.as_deref(), Some("anthropic/claude-opus-5"));
        let [input, cache_read, cache_write] = [1_000, 200, 100];
        let tokens = BilledTokens { input, cache_read, cache_write, cache_write_1h: 0, output: 60 };
        assert_eq!((request.id.as_str(), request.tokens), ("prt_1", tokens));
    }
}
