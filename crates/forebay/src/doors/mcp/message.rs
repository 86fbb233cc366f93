//! What a line or a request body is: a message to handle, something to ignore, or an error to answer.

use forebay_app::bounds::echo;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorCode, ErrorData, RequestId,
};
use serde_json::{Value, json};

use crate::doors::json_scan::JsonScan;

/// Methods recognized in requests with invalid parameters.
const KNOWN_METHODS: &[&str] = &[
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "logging/setLevel",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

pub(crate) enum Verdict {
    Pass(Box<ClientJsonRpcMessage>),
    Ignore,
    Refuse(Refusal),
}

/// An error under the id of the request, if it has one.
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    text: String,
    id: Option<RequestId>,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, text: impl Into<String>, id: Option<RequestId>) -> Self {
        Self { code, text: text.into(), id }
    }

    /// A message that is refused before it is decoded.
    pub(crate) fn undecoded(why: impl std::fmt::Display, scan: &JsonScan) -> Self {
        let id = serde_json::from_slice(scan.id()).ok();
        Self::new(ErrorCode::INVALID_REQUEST, format!("invalid request: {why}"), id)
    }

    /// The error as JSON-RPC asks for it: with `"id": null` if the request has no readable id, where `rmcp` writes none.
    pub(crate) fn into_json(self) -> Value {
        let error = ErrorData::new(self.code, self.text, None);
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error })
    }
}

pub(crate) fn classify(text: &[u8], scan: &JsonScan) -> Verdict {
    if text.trim_ascii().is_empty() {
        return Verdict::Ignore;
    }
    if let Err(why) = scan.check() {
        return Verdict::Refuse(Refusal::undecoded(why, scan));
    }
    match serde_json::from_slice(text) {
        Ok(message) => classify_message(message),
        Err(_) => classify_invalid(text),
    }
}

fn classify_message(message: ClientJsonRpcMessage) -> Verdict {
    if let ClientJsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(custom) = &request.request
    {
        return Verdict::Refuse(refuse_custom(custom, request.id.clone()));
    }
    Verdict::Pass(Box::new(message))
}

/// A text that is no protocol message.
fn classify_invalid(text: &[u8]) -> Verdict {
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        let text = "parse error: the message is not JSON";
        return Verdict::Refuse(Refusal::new(ErrorCode::PARSE_ERROR, text, None));
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let is_notification = value.get("id").is_none() && value["method"].is_string();
    match malformed(&value) {
        None if is_notification => Verdict::Ignore,
        None => {
            let method = value["method"].as_str().unwrap_or_default();
            Verdict::Refuse(refuse_method(method, id))
        }
        Some(why) => {
            let text = format!("invalid request: {why}");
            Verdict::Refuse(Refusal::new(ErrorCode::INVALID_REQUEST, text, id))
        }
    }
}

/// Why a JSON value is no JSON-RPC request.
fn malformed(value: &Value) -> Option<&'static str> {
    let Some(object) = value.as_object() else {
        return Some("a message is one JSON object; batches are not supported");
    };
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        Some("`jsonrpc` must be \"2.0\"")
    } else if !object.get("method").is_some_and(Value::is_string) {
        Some("`method` must be a string")
    } else if object.get("id").is_some_and(|id| !is_id(id)) {
        Some("`id` must be a string or an integer")
    } else if object.get("params").is_some_and(|params| !is_structured(params)) {
        Some("`params` must be an object")
    } else {
        None
    }
}

fn is_structured(params: &Value) -> bool {
    params.is_object() || params.is_array() || params.is_null()
}

/// Invalid parameters make a known request look like one with an unknown method.
fn refuse_custom(custom: &CustomRequest, id: RequestId) -> Refusal {
    if custom.params.as_ref().is_some_and(|params| !is_structured(params)) {
        let text = "invalid request: `params` must be an object";
        return Refusal::new(ErrorCode::INVALID_REQUEST, text, Some(id));
    }
    refuse_method(&custom.method, Some(id))
}

fn refuse_method(method: &str, id: Option<RequestId>) -> Refusal {
    if KNOWN_METHODS.contains(&method) {
        let text = format!("{method}: invalid parameters");
        return Refusal::new(ErrorCode::INVALID_PARAMS, text, id);
    }
    let text = format!("unknown method `{}`", echo(method));
    Refusal::new(ErrorCode::METHOD_NOT_FOUND, text, id)
}
