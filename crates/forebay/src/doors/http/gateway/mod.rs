//! `/mcp` of `forebay gateway --listen`: the servers of a list, over streamable HTTP.
//!
//! - `sessions`: which there are; `session`: the servers of one; `streams`: what its client gets;
//! - `message`: what a client sends.
//!
//! The guard has already checked the token. A session belongs to the token that started it.

mod message;
mod session;
mod sessions;
mod streams;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use forebay_app::App;
use forebay_app::bounds::ANSWER_TIMEOUT;
use forebay_app::wrap::tool_list::ToolListing;
use forebay_domain::rights::Rights;
use futures_util::{StreamExt, stream};
use rmcp::model::ErrorCode;
use tokio_util::sync::CancellationToken;
use tower::util::BoxCloneSyncService;

use self::message::{Message, Messages, Refusal};
use self::session::{Sent, Session};
pub(super) use self::sessions::Sessions;
use self::streams::{Event, Reader, UNASKED};
use super::caller::{Caller, MCP_SESSION};
use super::problem::Problem;
use super::router::McpService;
use crate::doors::wrap::{GatewayServer, REVISIONS};

const EVENTS: &str = "text/event-stream";
const LAST_EVENT: &str = "last-event-id";
const REVISION: &str = "mcp-protocol-version";
/// Between two signs of life in a stream without events: proxies close silent connections.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Makes the servers of a session, from an app, the rights on each server, and the session's name.
type ServersMaker =
    Box<dyn Fn(&App, &dyn Fn(&str) -> Rights, &str) -> Vec<GatewayServer> + Send + Sync>;

/// The servers of a gateway.
pub(crate) struct GatewayConfig {
    pub(crate) names: Vec<String>,
    pub(crate) make_servers: ServersMaker,
    pub(crate) listing: ToolListing,
    pub(crate) has_forebay_tools: bool,
}

pub(super) fn service(sessions: &Arc<Sessions>, end: &CancellationToken) -> McpService {
    tokio::spawn(Sessions::sweep(Arc::downgrade(sessions)));
    let (ending, end) = (Arc::clone(sessions), end.clone());
    tokio::spawn(async move {
        end.cancelled().await;
        ending.end_all();
    });
    let sessions = Arc::clone(sessions);
    BoxCloneSyncService::new(tower::service_fn(move |request: Request| {
        let sessions = Arc::clone(&sessions);
        async move { Ok(answer(&sessions, request).await.unwrap_or_else(|refused| refused)) }
    }))
}

async fn answer(sessions: &Arc<Sessions>, request: Request) -> Result<Response, Response> {
    let (parts, body) = request.into_parts();
    let caller = parts.extensions.get::<Caller>().ok_or_else(no_such_session)?;
    if let Some(refusal) = unknown_revision(&parts.headers) {
        return Err(refusal.into_response());
    }
    let found = find(sessions, &parts.headers, caller);
    match parts.method {
        Method::POST => {
            // The guard has received the whole body.
            let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
            let messages =
                Messages::parse(&parts.headers, &bytes).map_err(Refusal::into_response)?;
            match (found, messages.starts_session()) {
                (None, true) => start(sessions, caller, &parts.headers, messages).await,
                (Some(session), true) => {
                    session?;
                    Err(messages.refusal("this session is initialized already").into_response())
                }
                (None, false) => {
                    Err(messages.refusal("no session: send `initialize` first").into_response())
                }
                (Some(session), false) => {
                    let session = session?;
                    post(&session, &parts.headers, messages).await
                }
            }
        }
        Method::GET => {
            let session = found.ok_or_else(no_such_session)??;
            listen(&session, &parts.headers).map_err(IntoResponse::into_response)
        }
        Method::DELETE => {
            let session = found.ok_or_else(no_such_session)??;
            sessions.end(&session);
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        _ => Err(StatusCode::METHOD_NOT_ALLOWED.into_response()),
    }
}

/// The session that a request names; `None` if it names none.
fn find(
    sessions: &Sessions,
    headers: &HeaderMap,
    caller: &Caller,
) -> Option<Result<Arc<Session>, Response>> {
    let id = headers.get(MCP_SESSION)?.to_str().unwrap_or_default();
    Some(sessions.find(id, caller).ok_or_else(no_such_session))
}

/// Why a request is not taken that names a revision of the protocol.
fn unknown_revision(headers: &HeaderMap) -> Option<Refusal> {
    let revision = headers.get(REVISION)?.to_str().unwrap_or_default();
    if REVISIONS.contains(&revision) {
        return None;
    }
    let message = format!("this gateway speaks the revisions {}", REVISIONS.join(", "));
    let data = serde_json::json!({ "supported": REVISIONS, "requested": revision });
    let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
    Some(Refusal { id: None, code, message, data: Some(Box::new(data)) })
}

/// Starts a session, which ends if its client does not wait for the answer.
async fn start(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    headers: &HeaderMap,
    messages: Messages,
) -> Result<Response, Response> {
    let started = sessions.start(caller, headers).await.map_err(IntoResponse::into_response)?;
    let unanswered = Starting { sessions, session: &started, is_answered: false };
    let answered = post(&started, headers, messages).await;
    let is_answered = answered.as_ref().is_ok_and(|answer| answer.status() == StatusCode::OK);
    if !is_answered && started.has_ended() {
        return Err(not_started(started.failure()));
    }
    let mut response = answered?;
    if let Ok(id) = HeaderValue::from_str(&started.id) {
        response.headers_mut().insert(MCP_SESSION, id);
    }
    unanswered.mark_answered();
    Ok(response)
}

/// A session whose client has no answer yet.
struct Starting<'a> {
    sessions: &'a Sessions,
    session: &'a Session,
    is_answered: bool,
}

impl Starting<'_> {
    fn mark_answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.sessions.end(self.session);
        }
    }
}

/// Hands messages to the servers, and answers what is a request.
async fn post(
    session: &Session,
    headers: &HeaderMap,
    messages: Messages,
) -> Result<Response, Response> {
    session.is_used();
    let takes_events = accepts(headers, EVENTS);
    let requests = messages.requests();
    if requests.is_empty() {
        return match refusal(send(session, messages)) {
            Some(refused) => Err(refused),
            None => Ok(StatusCode::ACCEPTED.into_response()),
        };
    }
    let is_single = requests.len() == 1;
    // The answer to the first message starts the session, and is not a stream.
    let has_answer_only = !takes_events || messages.starts_session();
    let opened = session.streams.open(requests, has_answer_only);
    let number = opened.map_err(|why| messages.refusal(&why.to_string()).into_response())?;
    let reader = session.streams.read(number, None).ok_or_else(no_such_session)?;
    let ids = messages.ids();
    if let Some(refused) = refusal(send(session, messages)) {
        for id in &ids {
            session.streams.give_up(id);
        }
        return Err(refused);
    }
    let answered = if has_answer_only {
        json_answer(reader, is_single).await
    } else {
        respond(reader, is_single).await
    };
    match answered {
        Some(response) => Ok(response),
        None if session.has_ended() => Err(no_such_session()),
        // Given up by the client.
        None => Ok(StatusCode::ACCEPTED.into_response()),
    }
}

/// Hands messages over, all of them or none.
fn send(session: &Session, messages: Messages) -> Sent {
    let messages: Vec<Message> = messages.into_all().collect();
    let cancelled: Vec<String> = messages.iter().filter_map(Message::cancelled).collect();
    let sent = session.send(messages.into_iter().map(|message| message.text).collect());
    if sent == Sent::All {
        for id in &cancelled {
            session.streams.give_up(id);
        }
    }
    sent
}

/// The answer to a request whose messages were not taken.
fn refusal(sent: Sent) -> Option<Response> {
    match sent {
        Sent::All => None,
        Sent::Full => Some(busy()),
        Sent::Ended => Some(no_such_session()),
    }
}

/// The answer as JSON if it comes soon and alone, or as a stream of events; `None` if there will be none.
async fn respond(mut reader: Reader, is_single: bool) -> Option<Response> {
    match tokio::time::timeout(ANSWER_TIMEOUT, reader.next()).await {
        Ok(Some(event)) if is_single && reader.is_at_end() => Some(json(&event.message)),
        Ok(Some(event)) => Some(events(Some(event), reader)),
        Ok(None) => None,
        Err(_) => Some(events(None, reader)),
    }
}

/// The answers as JSON, for a client that takes no events; `None` if there are none.
async fn json_answer(mut reader: Reader, is_single: bool) -> Option<Response> {
    let mut answers = Vec::new();
    while let Some(event) = reader.next().await {
        answers.push(event.message);
    }
    match answers.as_slice() {
        [] => None,
        [answer] if is_single => Some(json(answer)),
        several => Some(json(&format!("[{}]", several.join(",")))),
    }
}

/// The stream of what no request is about, or one that broke.
fn listen(session: &Session, headers: &HeaderMap) -> Result<Response, Problem> {
    if !accepts(headers, EVENTS) {
        let hint = "send `Accept: text/event-stream`";
        return Err(Problem::new(StatusCode::NOT_ACCEPTABLE, "a stream of events", hint));
    }
    session.is_used();
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    let (stream, behind) = match last {
        None => (UNASKED, None),
        Some(id) => {
            let (stream, event) = parse_event_id(id).ok_or_else(no_such_event)?;
            (stream, Some(event))
        }
    };
    let reader = session.streams.read(stream, behind).ok_or_else(no_such_event)?;
    Ok(events(None, reader))
}

fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, event) = id.split_once('.')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}

fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let values = headers.get_all(header::ACCEPT).iter();
    let mut accepted = values.filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains(media_type) || value.contains("*/*"))
}

/// A response that ends with its stream.
fn events(first: Option<Event>, reader: Reader) -> Response {
    let first = stream::iter(first.map(|event| written(&event)));
    let rest = stream::unfold(reader, |mut reader| async move {
        let piece = match tokio::time::timeout(KEEP_ALIVE, reader.next()).await {
            Ok(event) => written(&event?),
            Err(_) => Bytes::from_static(b": \n\n"),
        };
        Some((piece, reader))
    });
    let body = Body::from_stream(first.chain(rest).map(Ok::<_, Infallible>));
    ([(header::CONTENT_TYPE, HeaderValue::from_static(EVENTS))], body).into_response()
}

fn written(event: &Event) -> Bytes {
    format!("id: {}\ndata: {}\n\n", event.id, event.message).into()
}

fn json(message: &str) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], message.to_owned()).into_response()
}

fn no_such_session() -> Response {
    let problem = Problem::new(StatusCode::NOT_FOUND, "unknown session", "initialize a new one");
    problem.into_response()
}

fn not_started(why: &str) -> Response {
    let problem = Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("the session cannot be started: {why}"),
        "try again later, or look at the gateway's log",
    );
    problem.into_response()
}

fn no_such_event() -> Problem {
    let hint = "connect without Last-Event-ID";
    Problem::new(StatusCode::NOT_FOUND, "unknown or forgotten event", hint)
}

fn busy() -> Response {
    let hint = "wait for answers before sending more";
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many messages wait", hint);
    problem.into_response()
}
