//! A transport that answers what no revision of the protocol knows, at any time.
//!
//! Hosts probe a server before they initialize it, and a server that goes silent or exits on a
//! message it does not expect is lost to them.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// Methods whose parameters did not parse arrive as unknown ones; these are known all the same.
const KNOWN_METHODS: &[&str] =
    &["initialize", "server/discover", "ping", "tools/list", "tools/call"];

pub(super) struct Tolerant<T> {
    inner: T,
    has_started: bool,
}

impl<T> Tolerant<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, has_started: false }
    }
}

impl<T: Transport<RoleServer, Error = io::Error>> Transport<RoleServer> for Tolerant<T> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.inner.receive().await?;
            match judge(&message, self.has_started) {
                Verdict::Pass => {
                    self.has_started |= starts_the_session(&message);
                    return Some(message);
                }
                Verdict::Ignore => {}
                Verdict::Refuse(refusal) => self.inner.send(*refusal).await.ok()?,
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), io::Error>> + Send {
        self.inner.close()
    }
}

enum Verdict {
    Pass,
    Ignore,
    Refuse(Box<ServerJsonRpcMessage>),
}

fn judge(message: &ClientJsonRpcMessage, has_started: bool) -> Verdict {
    match message {
        ClientJsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::CustomRequest(custom) => {
                let refusal =
                    ServerJsonRpcMessage::error(refusal(&custom.method), Some(request.id.clone()));
                Verdict::Refuse(Box::new(refusal))
            }
            _ => Verdict::Pass,
        },
        // Before the session starts there is nothing that a notification or a response could mean.
        _ if has_started => Verdict::Pass,
        _ => Verdict::Ignore,
    }
}

fn starts_the_session(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request)
        if !matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)))
}

fn refusal(method: &str) -> ErrorData {
    if KNOWN_METHODS.contains(&method) {
        let message =
            format!("{method}: the parameters are not of the shape the protocol asks for");
        return ErrorData::new(ErrorCode::INVALID_PARAMS, message, None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None)
}
