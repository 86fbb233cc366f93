//! Google's generateContent API.

use serde_json::{Value, json};

use super::http::HttpResponse;
use super::{Call, ModelRequest, ModelTurn, Tool};

pub(super) fn parse(body: &Value) -> ModelRequest {
    let mut request = ModelRequest { raw: body.to_string(), ..ModelRequest::default() };
    for group in body["tools"].as_array().into_iter().flatten() {
        let declared = group["functionDeclarations"].as_array().into_iter().flatten();
        let names = declared.filter_map(|tool| tool["name"].as_str());
        request.tools.extend(names.map(|name| Tool { name: name.to_owned(), namespace: None }));
    }
    for content in body["contents"].as_array().into_iter().flatten() {
        if content["role"] == "model" {
            continue;
        }
        for part in content["parts"].as_array().into_iter().flatten() {
            if let Some(answer) = part.get("functionResponse") {
                request.results.push(response_text(&answer["response"]));
            } else if part["text"].as_str().is_some_and(|text| text.contains("SCRIPT")) {
                part["text"].as_str().unwrap_or_default().clone_into(&mut request.prompt);
                request.results.clear();
            }
        }
    }
    request
}

fn response_text(response: &Value) -> String {
    let texts = response.as_object().into_iter().flat_map(serde_json::Map::values);
    texts.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
}

pub(super) fn encode(turn: &ModelTurn, body: &Value, is_stream: bool) -> HttpResponse {
    // The agent's side requests expect a JSON object; it ignores an empty one.
    let wants_json = body["generationConfig"]["responseMimeType"] == "application/json";
    let function_call =
        |call: &Call| json!({ "functionCall": { "name": call.tool.name, "args": call.input } });
    let parts = match turn {
        ModelTurn::Text(_) if wants_json => vec![json!({ "text": "{}" })],
        ModelTurn::Text(text) => vec![json!({ "text": text })],
        ModelTurn::Calls(calls) => calls.iter().map(function_call).collect(),
    };
    let whole = json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010 },
        "modelVersion": "scripted",
    });
    if is_stream {
        HttpResponse::events(format!("data: {whole}\n\n"))
    } else {
        HttpResponse::json(&whole)
    }
}
