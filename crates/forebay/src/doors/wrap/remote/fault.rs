//! What the client is told if a server at a URL does not answer.

use std::fmt;
use std::io;

use forebay_app::bounds::{MAX_FAULT_BYTES, MAX_FAULT_HEADER_BYTES};
use forebay_sandbox::web::{FetchError, StreamedResponse};
use forebay_text::cut;
use forebay_text::invisible::escape;
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

use super::super::json::quoted;

/// Why a message has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{0}")]
    Status(HttpRefusal),
    #[error("{0} ended the connection without an answer")]
    Ended(String),
    #[error("{0} answered with {1}, which is neither JSON nor a stream of events")]
    MediaType(String, String),
    #[error("the answer of {0} is longer than 64 MB")]
    TooLong(String),
    #[error(
        "the server has ended the session and does not start another one; start the agent's connection again"
    )]
    NoSession,
    #[error("{0} names an endpoint on another host, which gets no message: {1}")]
    ForeignEndpoint(String, String),
    #[error("cannot start a thread: {0}")]
    NoThread(io::Error),
    #[error(transparent)]
    Http(#[from] FetchError),
}

impl Fault {
    /// What a program can use of it: a client that can sign in needs the challenge as it is.
    pub(super) fn data(&self) -> Option<Value> {
        match self {
            Self::Status(refusal) => Some(refusal.data()),
            _ => None,
        }
    }
}

/// An answer to the request with this id.
pub(super) fn answer(id: &str, why: &str, data: Option<Value>) -> String {
    let (code, message) = (ErrorCode::INTERNAL_ERROR.0, quoted(&escape(why)));
    let data = data.map_or_else(String::new, |data| format!(r#","data":{data}"#));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#)
}

/// An HTTP error, and what to do about it.
#[derive(Debug)]
pub(super) struct HttpRefusal {
    url: String,
    status: u16,
    /// How to sign in, by the header WWW-Authenticate.
    challenge: Option<String>,
    /// Where the server has moved.
    location: Option<String>,
    pub(super) said: String,
}

impl HttpRefusal {
    pub(super) fn new(url: &str, response: &StreamedResponse) -> Self {
        let header = |name| {
            let value = response.header(name)?;
            Some(cut::prefix(value, MAX_FAULT_HEADER_BYTES).to_owned())
        };
        Self {
            url: url.to_owned(),
            status: response.status,
            challenge: header("www-authenticate"),
            location: header("location"),
            said: String::new(),
        }
    }

    fn data(&self) -> Value {
        let mut data = json!({ "status": self.status });
        if let Some(challenge) = &self.challenge {
            data["wwwAuthenticate"] = challenge.as_str().into();
        }
        data
    }

    fn wants_sign_in(&self) -> bool {
        self.challenge.as_ref().is_some_and(|text| text.contains("resource_metadata"))
    }
}

impl fmt::Display for HttpRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, status, challenge, location, said } = self;
        write!(f, "{url} answered with HTTP {status}")?;
        let said = cut::prefix(said.trim(), MAX_FAULT_BYTES);
        if !said.is_empty() {
            write!(f, ": {said}")?;
        }
        if let Some(challenge) = challenge {
            write!(f, "\nWWW-Authenticate: {}", cut::prefix(challenge, MAX_FAULT_BYTES))?;
        }
        match (status, location) {
            (401, _) => {
                write!(f, "\nsend a token: --header 'Authorization: Bearer ${{VARIABLE}}'")?;
                if self.wants_sign_in() {
                    write!(
                        f,
                        ", or let the agent reach the server without wrap to sign in with OAuth"
                    )?;
                }
                Ok(())
            }
            (403, _) => write!(f, "\nthe token lacks a right that the server requires"),
            (404 | 405, _) => write!(
                f,
                "\nthe URL is not an MCP endpoint: it offers neither streamable HTTP nor the older transport (SSE)"
            ),
            (300..=399, Some(location)) => {
                write!(f, "\nit redirects to {location}; if that is the server, use its URL")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, challenge: Option<&str>, location: Option<&str>) -> Fault {
        Fault::Status(HttpRefusal {
            url: "https://a.example/mcp".to_owned(),
            status,
            challenge: challenge.map(str::to_owned),
            location: location.map(str::to_owned),
            said: " no\n".to_owned(),
        })
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let challenge = "Bearer resource_metadata=\"x\"";
        let unauthorized = refusal(401, Some(challenge), None);
        let answer = answer("\"a\"", &unauthorized.to_string(), unauthorized.data());
        let value: Value = serde_json::from_str(&answer).unwrap();
        let message = value["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("https://a.example/mcp answered with HTTP 401: no"),
            "{message}"
        );
        assert!(message.contains("--header 'Authorization: Bearer ${VARIABLE}'"), "{message}");
        assert!(message.contains("OAuth") && message.contains(challenge), "{message}");
        assert_eq!(value["error"]["data"], json!({ "status": 401, "wwwAuthenticate": challenge }));
        assert_eq!(value["id"], "a");
        let other = refusal(500, None, None);
        assert_eq!(other.to_string(), "https://a.example/mcp answered with HTTP 500: no");
        let moved = refusal(302, None, Some("https://b.example/")).to_string();
        assert!(moved.contains("redirects to https://b.example/;"), "{moved}");
    }
}
