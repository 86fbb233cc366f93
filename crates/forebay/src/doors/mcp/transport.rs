//! Newline-delimited JSON-RPC, with an error response for anything invalid.
//!
//! Hosts probe a server before initializing it, and drop one that stays silent or exits on an unexpected message. So every
//! request gets a response with its id: unknown methods, invalid parameters, and lines that are no message.

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

/// Maximum length of a line; longer ones are dropped.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;
/// Methods recognized in requests with invalid parameters.
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
            let verdict = classify(&self.line, self.has_started);
            self.line.clear();
            match verdict {
                Verdict::Pass(message) => {
                    self.has_started |= starts_session(&message);
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
    /// Reads the next line into `line`; `None` at the end of the input.
    ///
    /// Cancel-safe: bytes read so far stay in `line`.
    async fn fill_line(&mut self) -> Option<()> {
        loop {
            let available = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.is_too_long |= self.line.len() + taken > MAX_LINE_BYTES;
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

fn classify(line: &[u8], has_started: bool) -> Verdict {
    if line.trim_ascii().is_empty() {
        return Verdict::Ignore;
    }
    match serde_json::from_slice(line) {
        Ok(message) => classify_message(message, has_started),
        Err(_) => classify_invalid(line),
    }
}

fn classify_message(message: ClientJsonRpcMessage, has_started: bool) -> Verdict {
    match &message {
        ClientJsonRpcMessage::Request(request) => match &request.request {
            // Invalid parameters make a known request look like an unknown method.
            ClientRequest::CustomRequest(custom) => {
                refuse_method(&custom.method, Some(request.id.clone()))
            }
            _ => Verdict::Pass(Box::new(message)),
        },
        // Notifications and responses before initialization are ignored.
        _ if has_started => Verdict::Pass(Box::new(message)),
        _ => Verdict::Ignore,
    }
}

/// A line that is no protocol message.
fn classify_invalid(line: &[u8]) -> Verdict {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Verdict::refuse(ErrorCode::PARSE_ERROR, "parse error: the line is not JSON", None);
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match (value.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => refuse_method(method, Some(id)),
        (Some(_), None) if value.get("id").is_none() => Verdict::Ignore,
        (_, id) => Verdict::refuse(
            ErrorCode::INVALID_REQUEST,
            "invalid request: not a JSON-RPC message",
            id,
        ),
    }
}

fn refuse_method(method: &str, id: Option<RequestId>) -> Verdict {
    if KNOWN_METHODS.contains(&method) {
        let message = format!("{method}: invalid parameters");
        return Verdict::refuse(ErrorCode::INVALID_PARAMS, message, id);
    }
    Verdict::refuse(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`"), id)
}

fn starts_session(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request)
        if !matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)))
}
