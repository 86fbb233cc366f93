//! OpenAI's Responses API, as Codex uses it.

use serde_json::{Value, json};

use super::http::{HttpResponse, named_events, next_id};
use super::{Call, ModelRequest, ModelTurn, Tool, text_content};

pub(super) fn parse(body: &Value) -> ModelRequest {
    let mut request = ModelRequest { raw: body.to_string(), ..ModelRequest::default() };
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["tools"].as_array() {
            Some(inner) => request.tools.extend(inner.iter().map(|tool| Tool {
                name: tool["name"].as_str().unwrap_or_default().to_owned(),
                namespace: Some(name.to_owned()),
            })),
            None => request.tools.push(Tool { name: name.to_owned(), namespace: None }),
        }
    }
    for item in body["input"].as_array().into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.ends_with("call_output") {
            request.results.push(text_content(&item["output"]));
        } else if item["role"] == "user" && text_content(&item["content"]).contains("SCRIPT") {
            request.prompt = text_content(&item["content"]);
            request.results.clear();
        }
    }
    request
}

pub(super) fn encode(turn: &ModelTurn, body: &Value, is_stream: bool) -> HttpResponse {
    let id = format!("resp_{}", next_id());
    let items = match turn {
        ModelTurn::Text(text) => vec![json!({
            "type": "message", "id": format!("msg_{}", next_id()), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })],
        ModelTurn::Calls(calls) => calls.iter().map(function_call).collect(),
    };
    let response = |status: &str, output: Value| {
        json!({ "id": id, "object": "response", "status": status, "model": body["model"], "output": output,
                "usage": { "input_tokens": 1000, "output_tokens": 10, "total_tokens": 1010,
                           "input_tokens_details": { "cached_tokens": 0 },
                           "output_tokens_details": { "reasoning_tokens": 0 } } })
    };
    let whole = response("completed", json!(items));
    if !is_stream {
        return HttpResponse::json(&whole);
    }
    let mut events = vec![(
        "response.created",
        json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
    )];
    for (index, item) in items.iter().enumerate() {
        for name in ["response.output_item.added", "response.output_item.done"] {
            events.push((name, json!({ "type": name, "output_index": index, "item": item })));
        }
    }
    events.push(("response.completed", json!({ "type": "response.completed", "response": whole })));
    HttpResponse::events(named_events(&events))
}

fn function_call(call: &Call) -> Value {
    let mut item = json!({
        "type": "function_call", "id": format!("fc_{}", next_id()), "status": "completed",
        "call_id": format!("call_{}", next_id()), "name": call.tool.name, "arguments": call.input.to_string(),
    });
    if let Some(namespace) = &call.tool.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}
