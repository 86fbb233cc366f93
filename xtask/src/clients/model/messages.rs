//! Anthropic's Messages API.

use serde_json::{Value, json};

use super::http::{HttpResponse, named_events, next_id};
use super::{Call, ModelRequest, ModelTurn, Tool, text_content};

pub(super) fn parse(body: &Value) -> ModelRequest {
    let mut request = ModelRequest { raw: body.to_string(), ..ModelRequest::default() };
    let tools = body["tools"].as_array().into_iter().flatten();
    request.tools = tools
        .filter_map(|tool| tool["name"].as_str())
        .map(|name| Tool { name: name.to_owned(), namespace: None })
        .collect();
    let messages = body["messages"].as_array().into_iter().flatten();
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for message in messages {
        let plain = [json!({ "type": "text", "text": message["content"] })];
        let blocks = message["content"].as_array().map_or(plain.as_slice(), Vec::as_slice);
        for block in blocks {
            if block["type"] == "tool_use" {
                calls.push(block["id"].clone());
            } else if block["type"] == "tool_result" {
                results.push((block["tool_use_id"].clone(), text_content(&block["content"])));
            } else if message["role"] == "user" && text_content(block).contains("SCRIPT") {
                request.prompt = text_content(block);
                results.clear();
            }
        }
    }
    // Results of parallel calls come in the order in which they were ready.
    results.sort_by_key(|(id, _)| calls.iter().position(|call| call == id));
    request.results = results.into_iter().map(|(_, text)| text).collect();
    request
}

pub(super) fn encode(turn: &ModelTurn, body: &Value, is_stream: bool) -> HttpResponse {
    let id = format!("msg_{}", next_id());
    let (blocks, reason) = match turn {
        ModelTurn::Text(text) => (vec![json!({ "type": "text", "text": text })], "end_turn"),
        ModelTurn::Calls(calls) => (calls.iter().map(tool_use).collect(), "tool_use"),
    };
    let usage = usage(body);
    let message = |content: Value, reason: Value| {
        json!({ "id": id, "type": "message", "role": "assistant", "model": body["model"],
                "content": content, "stop_reason": reason, "stop_sequence": null, "usage": usage })
    };
    if !is_stream {
        return HttpResponse::json(&message(json!(blocks), json!(reason)));
    }
    let mut events = vec![(
        "message_start",
        json!({ "type": "message_start", "message": message(json!([]), Value::Null) }),
    )];
    for (index, block) in blocks.iter().enumerate() {
        events.extend(block_events(index, block));
    }
    events.push((
        "message_delta",
        json!({ "type": "message_delta", "usage": usage,
                "delta": { "stop_reason": reason, "stop_sequence": null } }),
    ));
    events.push(("message_stop", json!({ "type": "message_stop" })));
    HttpResponse::events(named_events(&events))
}

/// The tokens that the model claims to have counted, as with a cache: it reads what the request before had, and writes the
/// two messages that came since. They differ from request to request.
pub(in crate::clients) fn usage(body: &Value) -> Value {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let bytes: usize = messages.iter().rev().take(2).map(|message| message.to_string().len()).sum();
    // Agents compact a conversation by the sum of what the model counted.
    let (prompt, new) = (body.to_string().len() / 4, bytes / 4);
    let cached = if messages.len() > 2 { prompt - new } else { 0 };
    json!({
        "input_tokens": 3 + messages.len() % 5,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": prompt - cached,
        "output_tokens": 4 + 7 * messages.len(),
    })
}

fn tool_use(call: &Call) -> Value {
    let id = format!("toolu_{}", next_id());
    json!({ "type": "tool_use", "id": id, "name": call.tool.name, "input": call.input })
}

/// The events of a content block: its start without its content, which one delta carries.
fn block_events(index: usize, block: &Value) -> [(&'static str, Value); 3] {
    let mut start = block.clone();
    let delta = if block["type"] == "text" {
        start["text"] = json!("");
        json!({ "type": "text_delta", "text": block["text"] })
    } else {
        start["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
    };
    [
        (
            "content_block_start",
            json!({ "type": "content_block_start", "index": index, "content_block": start }),
        ),
        (
            "content_block_delta",
            json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        ),
        ("content_block_stop", json!({ "type": "content_block_stop", "index": index })),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_their_calls() {
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "Bash", "input": {} });
        let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": format!("of {id}") });
        let body = json!({ "messages": [
            { "role": "user", "content": "SCRIPT one" },
            { "role": "assistant", "content": [call("z")] },
            { "role": "user", "content": [result("z"), { "type": "text", "text": "SCRIPT two" }] },
            { "role": "assistant", "content": [call("c"), call("b"), call("a")] },
            { "role": "user", "content": [result("a"), result("c"), result("b")] },
        ] });
        let request = parse(&body);
        assert_eq!(request.prompt, "SCRIPT two");
        assert_eq!(request.results, ["of c", "of b", "of a"]);
    }
}
