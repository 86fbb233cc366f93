//! Antigravity: `brain/<id>/.system_generated/logs/transcript.jsonl`, one step a line. Only messages are read, for hooks
//! that do not get them.

use serde_json::Value;

use super::{Item, MalformedLine, Message, Role, is_object, spoken, string_field};
use crate::machine_text;

/// What surrounds the user's words in a step.
const REQUEST: (&str, &str) = ("<USER_REQUEST>", "</USER_REQUEST>");

pub(crate) fn parse_line(line: &[u8], items: &mut Vec<Item>) -> Result<(), MalformedLine> {
    if !is_object(line) {
        return Err(MalformedLine);
    }
    let line: Value = serde_json::from_slice(line)?;
    let role = match line["type"].as_str() {
        Some("USER_INPUT") => Role::User,
        Some("PLANNER_RESPONSE") => Role::Assistant,
        _ => return Ok(()),
    };
    let content = string_field(&line, "content").unwrap_or_default();
    let text = if role == Role::User { request(&content) } else { &content };
    items.extend(spoken(role, text, &machine_text::ANY_HOST).map(|text| {
        let timestamp = string_field(&line, "created_at");
        Item::Message(Message { role, id: None, text, timestamp, is_sidechain: false })
    }));
    Ok(())
}

/// The user's words, without what the host adds about its settings and the time.
fn request(content: &str) -> &str {
    let Some((_, rest)) = content.split_once(REQUEST.0) else { return content };
    rest.split_once(REQUEST.1).map_or(rest, |(words, _)| words).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Option<(Role, &str)>) {
        let mut items = Vec::new();
        parse_line(line.as_bytes(), &mut items).unwrap();
        let said = items.iter().map(|item| match item {
            Item::Message(message) => (message.role, message.text.as_str()),
            other => panic!("{other:?}"),
        });
        assert_eq!(said.collect::<Vec<_>>(), expect.into_iter().collect::<Vec<_>>(), "{line}");
    }

    #[test]
    fn reads_words_and_answers_and_no_other_step() {
        check(
            r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","content":"<USER_REQUEST>\nlist the files\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nThe time is 9.\n</ADDITIONAL_METADATA>"}"#,
            Some((Role::User, "list the files")),
        );
        check(
            r#"{"step_index":1,"source":"USER_EXPLICIT","type":"USER_INPUT","content":"go on"}"#,
            Some((Role::User, "go on")),
        );
        check(
            r#"{"step_index":2,"source":"MODEL","type":"PLANNER_RESPONSE","content":"There are two.","thinking":"hm"}"#,
            Some((Role::Assistant, "There are two.")),
        );
        check(
            r#"{"step_index":3,"source":"MODEL","type":"PLANNER_RESPONSE","tool_calls":[{"name":"list_dir","args":{}}]}"#,
            None,
        );
        check(r#"{"step_index":4,"source":"MODEL","type":"RUN_COMMAND","content":"a.txt"}"#, None);
        check(r#"{"step_index":5,"source":"SYSTEM","type":"CHECKPOINT","content":"x"}"#, None);
    }

    #[test]
    fn line_that_is_no_step_is_malformed() {
        for line in ["", "[]", "nonsense", "{\"type\":"] {
            assert!(parse_line(line.as_bytes(), &mut Vec::new()).is_err(), "{line}");
        }
    }
}
