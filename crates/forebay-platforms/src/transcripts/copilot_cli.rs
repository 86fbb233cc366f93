//! GitHub Copilot CLI: `session-state/<id>/events.jsonl`. Only messages are read, for hooks that do not get them.

use serde_json::Value;

use super::{Item, MalformedLine, Message, Role, is_object, spoken, string_field};
use crate::machine_text;

pub(crate) fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    if !is_object(line) {
        return Err(MalformedLine);
    }
    let line: Value = serde_json::from_slice(line)?;
    let role = match line["type"].as_str() {
        Some("user.message") => Role::User,
        Some("assistant.message") => Role::Assistant,
        _ => return Ok(()),
    };
    let text = string_field(&line["data"], "content").unwrap_or_default();
    items.extend(spoken(role, &text, &machine_text::COPILOT_CLI).map(|text| {
        let (id, timestamp) = (string_field(&line, "id"), string_field(&line, "timestamp"));
        Item::Message(Message { role, id, text, timestamp, is_sidechain: false })
    }));
    Ok(())
}
