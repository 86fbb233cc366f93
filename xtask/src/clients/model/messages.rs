//! Anthropic's Messages API.

use serde_json::{Value, json};

use super::http::{HttpResponse, named_events, next_id};
use super::{ModelRequest, ModelTurn, Tool, text_content};

pub(super) fn parse(body: &Value) -> ModelRequest {
    let mut request = ModelRequest { raw: body.to_string(), ..ModelRequest::default() };
    let tools = body["tools"].as_array().into_iter().flatten();
    request.tools = tools
        .filter_map(|tool| tool["name"].as_str())
        .map(|name| Tool { name: name.to_owned(), namespace: None })
        .collect();
    let messages = body["messages"].as_array().into_iter().flatten();
    for message in messages.filter(|message| message["role"] == "user") {
        let plain = [json!({ "type": "text", "text": message["content"] })];
        let blocks = message["content"].as_array().map_or(plain.as_slice(), Vec::as_slice);
        for block in blocks {
            if block["type"] == "tool_result" {
                request.results.push(text_content(&block["content"]));
            } else if text_content(block).contains("SCRIPT") {
                request.prompt = text_content(block);
                request.results.clear();
            }
        }
    }
    request
}

pub(super) fn encode(turn: &ModelTurn, body: &Value, is_stream: bool) -> HttpResponse {
    let id = format!("msg_{}", next_id());
    let (block, delta, reason) = match turn {
        ModelTurn::Text(text) => (
            json!({ "type": "text", "text": if is_stream { "" } else { text } }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
        ModelTurn::Call { tool, input } => (
            json!({ "type": "tool_use", "id": format!("toolu_{}", next_id()), "name": tool.name,
                    "input": if is_stream { json!({}) } else { input.clone() } }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
    };
    let usage = json!({ "input_tokens": 1000, "output_tokens": 10 });
    let message = |content: Value, reason: Value| {
        json!({ "id": id, "type": "message", "role": "assistant", "model": body["model"],
                "content": content, "stop_reason": reason, "stop_sequence": null, "usage": usage })
    };
    if !is_stream {
        return HttpResponse::json(&message(json!([block]), json!(reason)));
    }
    HttpResponse::events(named_events(&[
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
