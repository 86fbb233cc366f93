//! OpenAI's Chat Completions API, which many providers implement.

use serde_json::{Value, json};

use super::http::{HttpResponse, next_id};
use super::{Call, ModelRequest, ModelTurn, Tool, text_content};

pub(super) fn parse(body: &Value) -> ModelRequest {
    let mut request = ModelRequest { raw: body.to_string(), ..ModelRequest::default() };
    let tools = body["tools"].as_array().into_iter().flatten();
    request.tools = tools
        .filter_map(|tool| tool["function"]["name"].as_str())
        .map(|name| Tool { name: name.to_owned(), namespace: None })
        .collect();
    for message in body["messages"].as_array().into_iter().flatten() {
        let text = text_content(&message["content"]);
        if message["role"] == "tool" {
            request.results.push(text);
        } else if message["role"] == "user" && text.contains("SCRIPT") && !is_context(&text) {
            request.prompt = text;
            request.results.clear();
        }
    }
    request
}

/// Whether a message is what a hook added, which may quote an earlier prompt.
fn is_context(text: &str) -> bool {
    text.starts_with("<hook_context")
}

pub(super) fn encode(turn: &ModelTurn, body: &Value, is_stream: bool) -> HttpResponse {
    let (mut message, reason) = match turn {
        ModelTurn::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        ModelTurn::Calls(calls) => {
            let calls: Vec<Value> = calls.iter().map(tool_call).collect();
            (json!({ "role": "assistant", "content": null, "tool_calls": calls }), "tool_calls")
        }
    };
    let usage = usage(body);
    let id = format!("chatcmpl-{}", next_id());
    let reply = |object: &str, choice: Value| json!({ "id": id, "object": object, "created": 1, "model": body["model"], "choices": [choice], "usage": usage });
    if !is_stream {
        let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
        return HttpResponse::json(&reply("chat.completion", choice));
    }
    let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
    for (index, call) in calls.into_iter().flatten().enumerate() {
        call["index"] = json!(index);
    }
    let object = "chat.completion.chunk";
    let first = reply(object, json!({ "index": 0, "delta": message, "finish_reason": null }));
    let last = reply(object, json!({ "index": 0, "delta": {}, "finish_reason": reason }));
    HttpResponse::events(format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
}

/// Estimates the tokens of a request: an agent keeps a conversation that its compaction would not make shorter.
fn usage(body: &Value) -> Value {
    let prompt = body.to_string().len() / 4;
    json!({ "prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10 })
}

fn tool_call(call: &Call) -> Value {
    let function = json!({ "name": call.tool.name, "arguments": call.input.to_string() });
    json!({ "id": format!("call_{}", next_id()), "type": "function", "function": function })
}
