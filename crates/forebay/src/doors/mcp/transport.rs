//! Newline-delimited JSON-RPC, with an error response for anything invalid, and bounded memory whatever arrives.
//!
//! Hosts probe a server before initializing it, and drop one that stays silent or exits on an unexpected message. So every
//! request gets a response with its id: unknown methods, invalid parameters, and lines that are no message or too long.
//!
//! A client that does not read its answers is not read either: `in_flight` counts the requests without a written answer.

use std::io;
use std::sync::Arc;

use forebay_app::bounds::MAX_LINE_BYTES;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::in_flight::{InFlight, NotAdmitted};
use super::message::{Refusal, Verdict, classify};
use crate::doors::json_scan::JsonScan;

/// Buffer kept from one line to the next.
const KEPT_LINE_BYTES: usize = 64 * 1024;
/// The JSON-RPC code of a server that is busy.
pub(super) const BUSY: ErrorCode = ErrorCode(-32000);

/// One message a line, both ways.
pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    output: Arc<Mutex<W>>,
    line: Vec<u8>,
    scan: JsonScan,
    is_too_long: bool,
    has_started: bool,
    in_flight: Arc<InFlight>,
    /// The refusal being written. A task of its own, because `receive` may be dropped in the middle of a line.
    refusing: Option<JoinHandle<io::Result<()>>>,
    /// Cancelled at the end of the input.
    ended: CancellationToken,
}

impl<R: AsyncRead, W> Lines<R, W> {
    pub(super) fn new(input: R, output: W, ended: CancellationToken) -> Self {
        Self {
            input: BufReader::new(input),
            output: Arc::new(Mutex::new(output)),
            line: Vec::new(),
            scan: JsonScan::default(),
            is_too_long: false,
            has_started: false,
            in_flight: Arc::default(),
            refusing: None,
            ended,
        }
    }

    pub(super) fn in_flight(&self) -> Arc<InFlight> {
        Arc::clone(&self.in_flight)
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
        let (output, in_flight) = (Arc::clone(&self.output), Arc::clone(&self.in_flight));
        async move {
            let written = write(&output, &message).await;
            if let Some(id) = answered_request(&message) {
                in_flight.remove(id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // Written before the next line is read.
            if let Some(refusing) = &mut self.refusing {
                let written = refusing.await;
                self.refusing = None;
                written.ok()?.ok()?;
            }
            self.in_flight.wait_for_room().await;
            if self.fill_line().await.is_none() {
                self.ended.cancel();
                return None;
            }
            match self.take_line() {
                Verdict::Pass(message) => return Some(*message),
                Verdict::Ignore => {}
                Verdict::Refuse(refusal) => {
                    let output = Arc::clone(&self.output);
                    let writing = async move { write(&output, &refusal.into_json()).await };
                    self.refusing = Some(tokio::spawn(writing));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// Reads the next line into `line`; `None` at the end of the input. Of a line that is too long only the scan is kept.
    ///
    /// Cancel-safe: bytes read so far stay in `line`.
    async fn fill_line(&mut self) -> Option<()> {
        loop {
            let available = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.scan.feed(&available[..taken]);
            self.is_too_long |= self.line.len() + taken > MAX_LINE_BYTES;
            if self.is_too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if newline.is_some() {
                return Some(());
            }
        }
    }

    /// Judges the line and makes room for the next.
    fn take_line(&mut self) -> Verdict {
        let scan = std::mem::take(&mut self.scan);
        let verdict = if std::mem::take(&mut self.is_too_long) {
            let why = format!("the message is longer than {} MB", MAX_LINE_BYTES / (1024 * 1024));
            Verdict::Refuse(Refusal::undecoded(why, &scan))
        } else {
            match classify(&self.line, &scan) {
                Verdict::Pass(message) => self.admit(message),
                other => other,
            }
        };
        self.line.clear();
        self.line.shrink_to(KEPT_LINE_BYTES);
        verdict
    }

    fn admit(&mut self, message: Box<ClientJsonRpcMessage>) -> Verdict {
        match &*message {
            ClientJsonRpcMessage::Request(request) => {
                if let Err(why) = self.in_flight.admit(&request.id, self.line.len()) {
                    return Verdict::Refuse(not_admitted(&why, request.id.clone()));
                }
                self.has_started |= starts_session(&request.request);
            }
            // Notifications and responses before initialization are ignored.
            _ if !self.has_started => return Verdict::Ignore,
            ClientJsonRpcMessage::Notification(notification) => {
                // A cancelled request gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.in_flight.remove(id);
                }
            }
            _ => {}
        }
        Verdict::Pass(message)
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: &Mutex<W>,
    message: &impl Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

/// The id of the request that a message answers.
fn answered_request(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

fn not_admitted(why: &NotAdmitted, id: RequestId) -> Refusal {
    match why {
        NotAdmitted::SameId => {
            let text = "invalid request: a request with this id is still in progress";
            Refusal::new(ErrorCode::INVALID_REQUEST, text, Some(id))
        }
        NotAdmitted::Full => {
            Refusal::new(BUSY, "too many requests in progress; try again in a moment", Some(id))
        }
    }
}

fn starts_session(request: &ClientRequest) -> bool {
    !matches!(request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_))
}
