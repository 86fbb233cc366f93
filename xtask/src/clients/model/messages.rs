//! Anthropic's Messages.

use serde_json::{Value, json};

use super::http::{Reply, fresh, named_events};
use super::{Asked, Said, Tool, text_of};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked { whole: body.to_string(), ..Asked::default() };
    let tools = body["tools"].as_array().into_iter().flatten();
    asked.tools = tools
        .filter_map(|tool| tool["name"].as_str())
        .map(|name| Tool { name: name.to_owned(), namespace: None })
        .collect();
    let messages = body["messages"].as_array().into_iter().flatten();
    for message in messages.filter(|message| message["role"] == "user") {
        let plain = [json!({ "type": "text", "text": message["content"] })];
        let blocks = message["content"].as_array().map_or(plain.as_slice(), Vec::as_slice);
        for block in blocks {
            if block["type"] == "tool_result" {
                asked.results.push(text_of(&block["content"]));
            } else if text_of(block).contains("SCRIPT") {
                asked.prompt = text_of(block);
                asked.results.clear();
            }
        }
    }
    asked
}

pub(super) fn speak(said: &Said, body: &Value, is_streamed: bool) -> Reply {
    let id = format!("msg_{}", fresh());
    let (block, delta, reason) = match said {
        Said::Text(text) => (
            json!({ "type": "text", "text": if is_streamed { "" } else { text } }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
        Said::Call { tool, input } => (
            json!({ "type": "tool_use", "id": format!("toolu_{}", fresh()), "name": tool.name,
                    "input": if is_streamed { json!({}) } else { input.clone() } }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
    };
    let usage = json!({ "input_tokens": 1000, "output_tokens": 10 });
    let message = |content: Value, reason: Value| {
        json!({ "id": id, "type": "message", "role": "assistant", "model": body["model"],
                "content": content, "stop_reason": reason, "stop_sequence": null, "usage": usage })
    };
    if !is_streamed {
        return Reply::json(&message(json!([block]), json!(reason)));
    }
    Reply::events(named_events(&[
        (
            "message_start",
            json!({ "type": "message_start", "message": message(json!([]), Value::Null) }),
        ),
        (
            "content_block_start",
            json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        ),
        (
            "content_block_delta",
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        ),
        ("content_block_stop", json!({ "type": "content_block_stop", "index": 0 })),
        (
            "message_delta",
            json!({ "type": "message_delta", "usage": usage,
            "delta": { "stop_reason": reason, "stop_sequence": null } }),
        ),
        ("message_stop", json!({ "type": "message_stop" })),
    ]))
}
