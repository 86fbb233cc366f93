//! Messages as lines, with an answer for what is none.
//!
//! Hosts probe a server before they initialize it, and a server that goes silent or exits on a
//! message it does not expect is lost to them. So every request gets an answer with its own id:
//! unknown methods, wrong parameters, and text that is no message at all.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// A longer line is no message of ours: it is dropped, not held.
const LONGEST_LINE: usize = 64 * 1024 * 1024;
/// Requests with wrong parameters are known by their method.
const KNOWN_METHODS: &[&str] =
    &["initialize", "server/discover", "ping", "tools/list", "tools/call"];

/// One message a line, both ways.
pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    output: Arc<Mutex<W>>,
    line: Vec<u8>,
    is_too_long: bool,
    has_started: bool,
}

impl<R: AsyncRead, W> Lines<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            output: Arc::new(Mutex::new(output)),
            line: Vec::new(),
            is_too_long: false,
            has_started: false,
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.fill_line().await?;
            let verdict = judge(&self.line, self.has_started);
            self.line.clear();
            match verdict {
                Verdict::Pass(message) => {
                    self.has_started |= starts_the_session(&message);
                    return Some(*message);
                }
                Verdict::Ignore => {}
                Verdict::Refuse(refusal) => self.send(*refusal).await.ok()?,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// Fills `line` with the next one; `None` at the end of the input.
    ///
    /// May be dropped at any await and called again: what was read stays in `line`.
    async fn fill_line(&mut self) -> Option<()> {
        loop {
            let available = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.is_too_long |= self.line.len() + taken > LONGEST_LINE;
            if self.is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if newline.is_some() && !std::mem::take(&mut self.is_too_long) {
                return Some(());
            }
        }
    }
}

enum Verdict {
    Pass(Box<ClientJsonRpcMessage>),
    Ignore,
    Refuse(Box<ServerJsonRpcMessage>),
}

impl Verdict {
    fn refuse(code: ErrorCode, message: impl Into<String>, id: Option<RequestId>) -> Self {
        let error = ErrorData::new(code, message.into(), None);
        Self::Refuse(Box::new(ServerJsonRpcMessage::error(error, id)))
    }
}

fn judge(line: &[u8], has_started: bool) -> Verdict {
    if line.trim_ascii().is_empty() {
        return Verdict::Ignore;
    }
    match serde_json::from_slice(line) {
        Ok(message) => judge_message(message, has_started),
        Err(_) => judge_foreign(line),
    }
}

fn judge_message(message: ClientJsonRpcMessage, has_started: bool) -> Verdict {
    match &message {
        ClientJsonRpcMessage::Request(request) => match &request.request {
            // Parameters that do not fit make a known request look like one of a foreign method.
            ClientRequest::CustomRequest(custom) => {
                refuse_method(&custom.method, Some(request.id.clone()))
            }
            _ => Verdict::Pass(Box::new(message)),
        },
        // Before the session starts there is nothing that a notification or a response could mean.
        _ if has_started => Verdict::Pass(Box::new(message)),
        _ => Verdict::Ignore,
    }
}

/// Text that is no message of the protocol.
fn judge_foreign(line: &[u8]) -> Verdict {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Verdict::refuse(ErrorCode::PARSE_ERROR, "this line is not JSON", None);
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match (value.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => refuse_method(method, Some(id)),
        (Some(_), None) if value.get("id").is_none() => Verdict::Ignore,
        (_, id) => Verdict::refuse(ErrorCode::INVALID_REQUEST, "this is no message of MCP", id),
    }
}

fn refuse_method(method: &str, id: Option<RequestId>) -> Verdict {
    if KNOWN_METHODS.contains(&method) {
        let message =
            format!("{method}: the parameters are not of the shape the protocol asks for");
        return Verdict::refuse(ErrorCode::INVALID_PARAMS, message, id);
    }
    Verdict::refuse(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), id)
}

fn starts_the_session(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request)
        if !matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)))
}
