//! OpenAI's Responses, as Codex speaks it.

use serde_json::{Value, json};

use super::http::{Reply, fresh, named_events};
use super::{Asked, Said, Tool, text_of};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked { whole: body.to_string(), ..Asked::default() };
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["tools"].as_array() {
            Some(inner) => asked.tools.extend(inner.iter().map(|tool| Tool {
                name: tool["name"].as_str().unwrap_or_default().to_owned(),
                namespace: Some(name.to_owned()),
            })),
            None => asked.tools.push(Tool { name: name.to_owned(), namespace: None }),
        }
    }
    for item in body["input"].as_array().into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.ends_with("call_output") {
            asked.results.push(text_of(&item["output"]));
        } else if item["role"] == "user" && text_of(&item["content"]).contains("SCRIPT") {
            asked.prompt = text_of(&item["content"]);
            asked.results.clear();
        }
    }
    asked
}

pub(super) fn speak(said: &Said, body: &Value, is_streamed: bool) -> Reply {
    let id = format!("resp_{}", fresh());
    let item = match said {
        Said::Text(text) => json!({
            "type": "message", "id": format!("msg_{}", fresh()), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Said::Call { tool, input } => {
            let mut call = json!({
                "type": "function_call", "id": format!("fc_{}", fresh()), "status": "completed",
                "call_id": format!("call_{}", fresh()), "name": tool.name, "arguments": input.to_string(),
            });
            if let Some(namespace) = &tool.namespace {
                call["namespace"] = json!(namespace);
            }
            call
        }
    };
    let response = |status: &str, output: Value| {
        json!({ "id": id, "object": "response", "status": status, "model": body["model"], "output": output,
                "usage": { "input_tokens": 1000, "output_tokens": 10, "total_tokens": 1010,
                           "input_tokens_details": { "cached_tokens": 0 },
                           "output_tokens_details": { "reasoning_tokens": 0 } } })
    };
    let whole = response("completed", json!([item]));
    if !is_streamed {
        return Reply::json(&whole);
    }
    Reply::events(named_events(&[
        (
            "response.created",
            json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
        ),
        (
            "response.output_item.added",
            json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        ),
        (
            "response.output_item.done",
            json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        ),
        ("response.completed", json!({ "type": "response.completed", "response": whole })),
    ]))
}
