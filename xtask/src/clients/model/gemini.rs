//! Google's generateContent.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Asked, Said, Tool};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked { whole: body.to_string(), ..Asked::default() };
    for group in body["tools"].as_array().into_iter().flatten() {
        let declared = group["functionDeclarations"].as_array().into_iter().flatten();
        let names = declared.filter_map(|tool| tool["name"].as_str());
        asked.tools.extend(names.map(|name| Tool { name: name.to_owned(), namespace: None }));
    }
    for content in body["contents"].as_array().into_iter().flatten() {
        if content["role"] == "model" {
            continue;
        }
        for part in content["parts"].as_array().into_iter().flatten() {
            if let Some(answer) = part.get("functionResponse") {
                asked.results.push(response_text(&answer["response"]));
            } else if part["text"].as_str().is_some_and(|text| text.contains("SCRIPT")) {
                part["text"].as_str().unwrap_or_default().clone_into(&mut asked.prompt);
                asked.results.clear();
            }
        }
    }
    asked
}

fn response_text(response: &Value) -> String {
    let texts = response.as_object().into_iter().flat_map(serde_json::Map::values);
    texts.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
}

pub(super) fn speak(said: &Said, body: &Value, is_streamed: bool) -> Reply {
    // Side questions of the agent want an object of a schema; an empty one is ignored.
    let wants_json = body["generationConfig"]["responseMimeType"] == "application/json";
    let part = match said {
        Said::Text(_) if wants_json => json!({ "text": "{}" }),
        Said::Text(text) => json!({ "text": text }),
        Said::Call { tool, input } => {
            json!({ "functionCall": { "name": tool.name, "args": input } })
        }
    };
    let whole = json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010 },
        "modelVersion": "scripted",
    });
    if is_streamed { Reply::events(format!("data: {whole}\n\n")) } else { Reply::json(&whole) }
}
