//! OpenAI's chat completions, which most others took over.

use serde_json::{Value, json};

use super::http::{Reply, fresh};
use super::{Asked, Said, Tool, text_of};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked { whole: body.to_string(), ..Asked::default() };
    let tools = body["tools"].as_array().into_iter().flatten();
    asked.tools = tools
        .filter_map(|tool| tool["function"]["name"].as_str())
        .map(|name| Tool { name: name.to_owned(), namespace: None })
        .collect();
    for message in body["messages"].as_array().into_iter().flatten() {
        let text = text_of(&message["content"]);
        if message["role"] == "tool" {
            asked.results.push(text);
        } else if message["role"] == "user" && text.contains("SCRIPT") {
            asked.prompt = text;
            asked.results.clear();
        }
    }
    asked
}

pub(super) fn speak(said: &Said, body: &Value, is_streamed: bool) -> Reply {
    let (mut message, reason) = match said {
        Said::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Said::Call { tool, input } => {
            let function = json!({ "name": tool.name, "arguments": input.to_string() });
            let call = json!({ "id": format!("call_{}", fresh()), "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
    };
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010 });
    let id = format!("chatcmpl-{}", fresh());
    let reply = |object: &str, choice: Value| json!({ "id": id, "object": object, "created": 1, "model": body["model"], "choices": [choice], "usage": usage });
    if !is_streamed {
        let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
        return Reply::json(&reply("chat.completion", choice));
    }
    if let Some(call) = message.get_mut("tool_calls").and_then(|calls| calls.get_mut(0)) {
        call["index"] = json!(0);
    }
    let object = "chat.completion.chunk";
    let first = reply(object, json!({ "index": 0, "delta": message, "finish_reason": null }));
    let last = reply(object, json!({ "index": 0, "delta": {}, "finish_reason": reason }));
    Reply::events(format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
}
