//! What the client is told if a server at a URL does not answer.

use std::fmt;
use std::io;

use forebay_app::bounds::MAX_FAULT_BYTES;
use forebay_sandbox::web::FetchError;
use forebay_text::cut;
use forebay_text::invisible::escape;
use rmcp::model::ErrorCode;

use super::super::json::quoted;

/// Why a message has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{}", Refusal { url, status: *status, challenge: challenge.as_deref(), said })]
    Status { url: String, status: u16, challenge: Option<String>, said: String },
    #[error("{0} ended the connection without an answer")]
    Ended(String),
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

/// An answer to the request with this id.
pub(super) fn answer(id: &str, why: &str) -> String {
    let (code, message) = (ErrorCode::INTERNAL_ERROR.0, quoted(&escape(why)));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
}

/// An HTTP error, and what to do about it.
struct Refusal<'a> {
    url: &'a str,
    status: u16,
    challenge: Option<&'a str>,
    said: &'a str,
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, status, challenge, said } = self;
        write!(f, "{url} answered with HTTP {status}")?;
        let said = cut::prefix(said.trim(), MAX_FAULT_BYTES);
        if !said.is_empty() {
            write!(f, ": {said}")?;
        }
        match (status, challenge) {
            (401, challenge) => {
                write!(f, "\nit wants a token: --header 'Authorization: Bearer ${{VARIABLE}}'. ")?;
                if challenge.is_some_and(|text| text.contains("resource_metadata")) {
                    write!(f, "It offers OAuth, and ")?;
                }
                write!(
                    f,
                    "signing in with OAuth is up to the agent: let it reach the server without wrap"
                )
            }
            (403, _) => write!(f, "\nthe token lacks a right that the server wants"),
            (404 | 405, _) => write!(
                f,
                "\nis this the address of an MCP endpoint? It offers neither streamable HTTP nor the older transport (SSE)"
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do() {
        let fault = |status, challenge: Option<&str>| {
            let url = "https://a.example/mcp".to_owned();
            let challenge = challenge.map(str::to_owned);
            Fault::Status { url, status, challenge, said: " no\n".to_owned() }
        };
        let fault_401 = fault(401, Some("Bearer resource_metadata=\"x\"")).to_string();
        let answer = answer("\"a\"", &fault_401);
        let value: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let message = value["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("https://a.example/mcp answered with HTTP 401: no"),
            "{message}"
        );
        assert!(message.contains("--header 'Authorization: Bearer ${VARIABLE}'"), "{message}");
        assert!(message.contains("It offers OAuth"), "{message}");
        assert_eq!(value["id"], "a");
        assert_eq!(
            fault(500, None).to_string(),
            "https://a.example/mcp answered with HTTP 500: no"
        );
    }
}
