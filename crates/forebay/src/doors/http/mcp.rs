//! `/mcp`: MCP over streamable HTTP, with the same handler as stdio.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use forebay_app::AppError;
use forebay_app::bounds::{MAX_ERROR_CHARS, MAX_SESSIONS};
use forebay_app::settings::Serve;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

use super::app_state::AppState;
use super::body;
use super::caller::Caller;
use super::events::Events;
use super::problem::{Problem, json_response};
use super::router::McpService;
use super::session_mac::SessionMac;
use crate::doors::json_scan::JsonScan;
use crate::doors::mcp::{AuthenticatedCaller, Context, Handler, Refusal, Verdict, classify};

type Streamable = StreamableHttpService<Handler, LocalSessionManager>;

pub(super) fn service(
    state: &Arc<AppState>,
    settings: &Serve,
    end: &CancellationToken,
    seal: SessionMac,
) -> McpService {
    let events = Arc::new(Events::default());
    let sessions = Arc::new(LocalSessionManager::default().with_event_store(events));
    let streamable = streamable(state, settings, end, Arc::clone(&sessions));
    let seal = Arc::new(seal);
    BoxCloneSyncService::new(tower::service_fn(move |request: Request| {
        let (streamable, sessions) = (streamable.clone(), Arc::clone(&sessions));
        let seal = Arc::clone(&seal);
        async move { Ok(answer(request, streamable, &sessions, &seal).await) }
    }))
}

fn streamable(
    state: &Arc<AppState>,
    settings: &Serve,
    end: &CancellationToken,
    sessions: Arc<LocalSessionManager>,
) -> Streamable {
    let (state, calls) = (Arc::clone(state), Arc::clone(state.calls()));
    let handler = move || {
        let state = Arc::clone(&state);
        let authenticate = Box::new(move |context: &Context| authenticate(&state, context));
        Ok(Handler::new(authenticate, Arc::clone(&calls)))
    };
    // The guard already checked Host, Origin and body size.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(usize::MAX)
        .with_legacy_session_mode(settings.sessions)
        .with_json_response(true)
        .with_cancellation_token(end.clone());
    StreamableHttpService::new(handler, sessions, config)
}

/// Each request acts for its own caller, whoever started the session.
fn authenticate(state: &AppState, context: &Context) -> Result<AuthenticatedCaller, AppError> {
    let parts = context.extensions.get::<Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    let (Some(parts), Some(caller)) = (parts, caller) else {
        return Err(AppError::refused("the caller is unknown", "send the request again"));
    };
    let told = context.client_info().map(|client| client.name);
    let name = match (&caller.token, &told) {
        (None, Some(told)) => told,
        _ => caller.name(),
    };
    let caller_context = state.context_for(caller, name, &parts.headers)?;
    Ok(AuthenticatedCaller { caller_context, rights: caller.rights() })
}

/// A session belongs to its creator: its id carries a MAC, verified on every request.
async fn answer(
    mut request: Request,
    streamable: Streamable,
    sessions: &LocalSessionManager,
    seal: &SessionMac,
) -> Response {
    let Some(caller) = request.extensions().get::<Caller>().cloned() else {
        return no_such_session();
    };
    let Ok(has_session) = seal.open(request.headers_mut(), &caller) else {
        return no_such_session();
    };
    if !has_session && sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return Problem::from(AppError::busy()).into_response();
    }
    let request = match check_message(request).await {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    let Ok(mut response) = streamable.oneshot(request).await;
    seal.close(response.headers_mut(), &caller);
    response.map(Body::new)
}

/// Refuses a body that is no message, or too costly to decode, with the codes of stdio.
async fn check_message(request: Request) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    // The guard has received the whole body.
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    if parts.method == Method::POST
        && body::is_json(&parts.headers)
        && let Verdict::Refuse(refusal) = classify(&bytes, &JsonScan::whole(&bytes))
        && !is_left_to_session(&refusal, &bytes)
    {
        let mut response = json_response(&refusal.into_json());
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return Err(response);
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Whether the session answers: it may know methods that are not offered, and repeats the method's name.
fn is_left_to_session(refusal: &Refusal, body: &Bytes) -> bool {
    matches!(refusal.code, ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS)
        && body.len() <= MAX_ERROR_CHARS
}

fn no_such_session() -> Response {
    let problem = Problem::new(StatusCode::NOT_FOUND, "unknown session", "initialize a new one");
    problem.into_response()
}
