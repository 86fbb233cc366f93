//! What a client sends: one message, or several as the revision of 2025-03-26 has them.

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

use super::super::body;
use super::super::problem::json_response;
use super::streams::Request;
use crate::doors::json_scan::JsonScan;
use crate::doors::wrap::{Members, id_key, items};

/// The messages of one request.
pub(super) struct Messages(Vec<Message>);

/// A message, on one line.
pub(super) struct Message {
    pub(super) text: String,
    /// The source of its id.
    id: Option<String>,
    method: Option<String>,
}

/// Why messages are not taken, as an error of the protocol.
pub(super) struct Refusal {
    pub(super) id: Option<String>,
    pub(super) code: ErrorCode,
    pub(super) message: String,
    pub(super) data: Option<Box<Value>>,
}

impl Messages {
    pub(super) fn parse(headers: &HeaderMap, bytes: &[u8]) -> Result<Self, Refusal> {
        if !body::is_json(headers) {
            return Err(unreadable("the content type is not application/json"));
        }
        JsonScan::whole(bytes).check().map_err(|why| unreadable(&why))?;
        let text = std::str::from_utf8(bytes).map_err(|_| unreadable("the body is not UTF-8"))?;
        // Between the parts of a JSON value, a line break is white space; servers read line by line.
        let line = text.trim_ascii().replace(['\n', '\r'], " ");
        let messages = match items(&line) {
            Some(messages) => messages.into_iter().map(Message::parse).collect(),
            None => Message::parse(&line).map(|message| vec![message]),
        };
        let messages: Vec<Message> =
            messages.ok_or_else(|| unreadable("the body is not a JSON-RPC message"))?;
        if messages.is_empty() {
            return Err(unreadable("the body has no message"));
        }
        Ok(Self(messages))
    }

    pub(super) fn starts_session(&self) -> bool {
        matches!(self.0.as_slice(), [one] if one.is_request() && one.is("initialize"))
    }

    /// The requests among them, as a stream needs to know them.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.0.iter().filter_map(Message::request).collect()
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.id).collect()
    }

    pub(super) fn into_all(self) -> impl Iterator<Item = Message> {
        self.0.into_iter()
    }

    pub(super) fn refusal(&self, why: &str) -> Refusal {
        let id = self.ids().into_iter().next();
        Refusal { id, code: ErrorCode::INVALID_REQUEST, message: why.to_owned(), data: None }
    }
}

impl Message {
    fn parse(text: &str) -> Option<Self> {
        let members = Members::parse(text).ok()?;
        let id = members.get("id").map(str::to_owned);
        // An id is a text or a number.
        let is_id = |id: &String| id.starts_with(|c: char| matches!(c, '"' | '-' | '0'..='9'));
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return None;
        }
        Some(Self { text: text.to_owned(), id, method: members.string("method") })
    }

    fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    fn is_request(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }

    fn request(&self) -> Option<Request> {
        let id = self.id.as_deref().filter(|_| self.is_request()).map(id_key)?;
        let progress_token = self
            .param("_meta")
            .and_then(|meta| Members::parse(&meta).ok()?.get("progressToken").map(str::to_owned));
        Some(Request { id, progress_token })
    }

    /// The id of the request that it cancels.
    pub(super) fn cancelled(&self) -> Option<String> {
        if self.is("notifications/cancelled") { self.param("requestId") } else { None }
    }

    /// The source of a parameter.
    fn param(&self, key: &str) -> Option<String> {
        let members = Members::parse(&self.text).ok()?;
        members.object("params")?.get(key).map(str::to_owned)
    }
}

impl Refusal {
    pub(super) fn into_response(self) -> Response {
        let id = self.id.and_then(|id| serde_json::from_str(&id).ok()).unwrap_or(Value::Null);
        let mut error = json!({ "code": self.code.0, "message": self.message });
        if let Some(data) = self.data {
            error["data"] = *data;
        }
        let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        (StatusCode::BAD_REQUEST, json_response(&body)).into_response()
    }
}

fn unreadable(why: &str) -> Refusal {
    let code = ErrorCode::PARSE_ERROR;
    Refusal { id: None, code, message: why.to_owned(), data: None }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    #[track_caller]
    fn parse(body: &str) -> Result<Messages, Refusal> {
        let json = HeaderValue::from_static("application/json");
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, json)]);
        Messages::parse(&headers, body.as_bytes())
    }

    #[test]
    fn messages_are_read_as_they_are_written() {
        let body = "{\"id\": \"a\",\r\n \"method\":\"x\", \"params\":{\"_meta\":{\"progressToken\":1.50}}}\n";
        let messages = parse(body).unwrap_or_else(|_| panic!("{body}"));
        let requests = messages.requests();
        assert_eq!(requests[0].id, "\"a\"");
        assert_eq!(requests[0].progress_token.as_deref(), Some("1.50"));
        assert!(!messages.into_all().any(|one| one.text.contains(['\n', '\r'])));
        let batch = parse(r#"[{"id":0,"method":"x"},{"id":-1,"result":{}},{"method":"n"}]"#);
        assert_eq!(batch.map_or(Vec::new(), |all| all.ids()), ["0"]);
        let cancels = parse(r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#);
        let cancelled: Vec<_> =
            cancels.map_or(Vec::new(), |all| all.into_all().map(|one| one.cancelled()).collect());
        assert_eq!(cancelled, [Some("7".to_owned())]);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for body in ["", "[]", "7", "[7]", "{\"id\":null,\"method\":\"x\"}", "{\"id\":{}}", "{]"] {
            assert!(parse(body).is_err(), "{body}");
        }
        let twice = "{\"id\":1,\"id\":2,\"method\":\"x\"}";
        assert!(parse(twice).is_err());
    }
}
