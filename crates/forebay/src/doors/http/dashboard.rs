//! `/ui`: the dashboard of a workspace, for those with a token.
//!
//! The page and its modules are the same for everybody and public. The data need a token with the right to read, which the page
//! sends with each request and keeps in its tab only: a cookie would go to every port of the host. Nothing can be changed
//! here, and what concerns the server's own machine is not shown.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use forebay_app::bounds::MAX_LIVE_STREAMS;
use forebay_app::team::tokens::Token;
use forebay_app::{App, dashboard, tools};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::{Problem, json_response};
use crate::doors::mcp;
use crate::doors::ui::{assets, guard, images, live, views};

/// Where it is.
const PATH: &str = "/ui";

/// What the requests of the dashboard share.
struct Dashboard {
    state: Arc<AppState>,
    streams: Arc<Semaphore>,
    streams_end: CancellationToken,
}

/// The fields of a query string.
type Fields = Query<Vec<(String, String)>>;

/// Whether a path has no data, and needs no token.
pub(super) fn is_public(path: &str) -> bool {
    let rest = path.strip_prefix(PATH);
    rest.is_some_and(|rest| matches!(rest, "" | "/") || rest.starts_with("/assets/"))
}

pub(super) fn routes(state: &Arc<AppState>, streams_end: &CancellationToken) -> Router {
    let dashboard = Arc::new(Dashboard {
        state: Arc::clone(state),
        streams: Arc::new(Semaphore::new(MAX_LIVE_STREAMS)),
        streams_end: streams_end.clone(),
    });
    let below = |route: &str| format!("{PATH}{route}");
    Router::new()
        .route(PATH, get(async || Redirect::permanent("/ui/")))
        .route(&below("/"), get(assets::index))
        .route(&below("/assets/{name}"), get(assets::show))
        .route(&below("/image/{reference}"), get(image))
        .route(&below("/api/access"), get(access))
        .route(&below("/api/team"), get(team))
        .route(&below("/api/live"), get(follow))
        .route(&below("/api/{view}"), get(view))
        .with_state(dashboard)
        .layer(axum::middleware::map_response(with_headers))
}

async fn with_headers(mut response: Response) -> Response {
    guard::add_headers(&mut response);
    response
}

/// What the page needs to know of where it is.
async fn access(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (_, token) = dashboard.admit(&caller, &headers)?;
    Ok(json_response(&json!({ "csrf_token": null, "is_server": true, "name": token.name })))
}

async fn team(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (app, token) = dashboard.admit(&caller, &headers)?;
    let state = Arc::clone(&dashboard.state);
    let data = move || dashboard::team(&app, state.own(), &token);
    Ok(json_response(&dashboard.state.calls().run_short(data).await?))
}

async fn view(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Query(fields): Fields,
) -> Result<Response, Problem> {
    let (app, _) = dashboard.admit(&caller, &headers)?;
    if views::LOCAL_VIEWS.contains(&name.as_str()) {
        return Err(views::no_view());
    }
    views::answer(app, dashboard.state.calls(), &name, fields).await
}

async fn image(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(caller): Extension<Caller>,
    Path(reference): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (app, _) = dashboard.admit(&caller, &headers)?;
    images::answer(app, dashboard.state.calls(), reference).await
}

async fn follow(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Query(fields): Fields,
) -> Result<Response, Problem> {
    let (app, _) = dashboard.admit(&caller, &headers)?;
    let calls = Arc::clone(dashboard.state.calls());
    let source = live::Source { app, calls, end: dashboard.streams_end.clone() };
    live::stream(source, &dashboard.streams, &fields, &headers)
}

impl Dashboard {
    /// The app of the caller's workspace, and the token. A server without required tokens asks for one here: every user of
    /// its machine can reach it.
    fn admit(
        &self,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Result<(Arc<App>, Arc<Token>), Problem> {
        let token = caller.token.as_ref().ok_or_else(no_token)?;
        mcp::check_right(tools::find("ctx_search")?, caller.rights())?;
        let app = self.state.context_for(caller, "ui", headers)?.app;
        Ok((app, Arc::clone(token)))
    }
}

fn no_token() -> Problem {
    let hint = "create one: forebay token create NAME --rights read";
    Problem::new(StatusCode::UNAUTHORIZED, "the dashboard of a server needs a token", hint)
        .with(header::WWW_AUTHENTICATE, r#"Bearer realm="forebay""#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_is_public() {
        for path in ["/ui", "/ui/", "/ui/assets/app.js"] {
            assert!(is_public(path), "{path}");
        }
        for path in ["/ui/api/search", "/ui/image/x", "/uix", "/v1/search", "/ui//", "/ui/assets"] {
            assert!(!is_public(path), "{path}");
        }
    }
}
