//! `/mcp`: MCP over streamable HTTP, with the handler that stdio has, too.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use forebay_app::AppError;
use forebay_app::settings::Serve;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

use super::caller::Caller;
use super::desk::Desk;
use super::events::Events;
use super::problem::Problem;
use super::sealed::Seal;
use crate::doors::mcp::{Admitted, Context, Handler};

/// Sessions that clients keep at one time; those that pause for minutes are closed.
const MOST_SESSIONS: usize = 10_000;

type Streamable = StreamableHttpService<Handler, LocalSessionManager>;

pub(super) fn service(
    desk: &Arc<Desk>,
    settings: &Serve,
    end: &CancellationToken,
) -> BoxCloneSyncService<Request, Response, Infallible> {
    let events = Arc::new(Events::default());
    let sessions = Arc::new(LocalSessionManager::default().with_event_store(events));
    let streamable = streamable(desk, settings, end, Arc::clone(&sessions));
    let seal = Arc::new(Seal::new());
    BoxCloneSyncService::new(tower::service_fn(move |request: Request| {
        let (streamable, sessions) = (streamable.clone(), Arc::clone(&sessions));
        let seal = Arc::clone(&seal);
        async move { Ok(answer(request, streamable, &sessions, &seal).await) }
    }))
}

fn streamable(
    desk: &Arc<Desk>,
    settings: &Serve,
    end: &CancellationToken,
    sessions: Arc<LocalSessionManager>,
) -> Streamable {
    let (desk, calls) = (Arc::clone(desk), Arc::clone(desk.calls()));
    let handler = move || {
        let desk = Arc::clone(&desk);
        let admit = Box::new(move |context: &Context| admit(&desk, context));
        Ok(Handler::new(admit, Arc::clone(&calls)))
    };
    // Host, Origin and the size of a body were looked at before.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(usize::MAX)
        .with_legacy_session_mode(settings.sessions)
        .with_json_response(true)
        .with_cancellation_token(end.clone());
    StreamableHttpService::new(handler, sessions, config)
}

/// Each request acts for the caller who sent it, whoever started the session.
fn admit(desk: &Desk, context: &Context) -> Result<Admitted, AppError> {
    let parts = context.extensions.get::<Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    let (Some(parts), Some(caller)) = (parts, caller) else {
        return Err(AppError::refused("the caller is not known", "send the request again"));
    };
    let told = context.client_info().map(|client| client.name);
    let name = match (&caller.token, &told) {
        (None, Some(told)) => told,
        _ => caller.name(),
    };
    let counter = desk.counter(caller, name, &parts.headers)?;
    Ok(Admitted { counter, rights: caller.rights() })
}

/// A session belongs to who started it: its name is sealed on the way out and checked on the way in.
async fn answer(
    mut request: Request,
    streamable: Streamable,
    sessions: &LocalSessionManager,
    seal: &Seal,
) -> Response {
    let Some(caller) = request.extensions().get::<Caller>().cloned() else {
        return no_such_session();
    };
    let Ok(has_session) = seal.open(request.headers_mut(), &caller) else {
        return no_such_session();
    };
    if !has_session && sessions.sessions.read().await.len() >= MOST_SESSIONS {
        return Problem::from(AppError::busy()).into_response();
    }
    let Ok(mut response) = streamable.oneshot(request).await;
    seal.close(response.headers_mut(), &caller);
    response.map(axum::body::Body::new)
}

fn no_such_session() -> Response {
    let problem =
        Problem::new(StatusCode::NOT_FOUND, "there is no such session", "initialize a new one");
    problem.into_response()
}
