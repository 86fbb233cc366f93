//! The table of routes and their middleware.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use forebay_app::settings::Serve;
use tokio_util::sync::CancellationToken;
use tower::util::BoxCloneSyncService;

use super::app_state::AppState;
use super::guard::{self, Guard};
use super::problem::Problem;
use super::{
    Access, context, dashboard, entries, health, metrics, oauth, openapi, search, team, tools,
};

/// What answers at `/mcp`.
pub(super) type McpService = BoxCloneSyncService<Request, Response, Infallible>;

/// Builds the router. `streams_end` closes open-ended streams.
pub(super) fn router(
    state: &Arc<AppState>,
    settings: &Serve,
    access: Access,
    end: &CancellationToken,
    streams_end: &CancellationToken,
    mcp: McpService,
) -> Router {
    let guard = Arc::new(Guard::new(state, settings, access));
    let routes = Router::new()
        .route("/health", get(health::live))
        .route(
            "/ready",
            get({
                let end = end.clone();
                move |state| health::ready(state, end)
            }),
        )
        .route("/metrics", get(metrics::show))
        .route("/openapi.json", get(openapi::show))
        .route("/v1/tools", get(tools::list))
        .route("/v1/tools/{name}", post(tools::call))
        .route("/v1/entries/{reference}", get(entries::show))
        .route("/v1/search", get(search::find))
        .route("/v1/team/entries", get(team::pull).post(team::push))
        .route("/context", get(context::show))
        .with_state(Arc::clone(state))
        .route_service("/mcp", mcp);
    let routes = routes.merge(dashboard::routes(state, streams_end));
    oauth::add_to(routes, settings)
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        // The guard already enforced the configured body limit, so axum's own is disabled.
        .layer(DefaultBodyLimit::disable())
        .layer(axum::middleware::from_fn_with_state(guard, guard::check_and_forward))
}

async fn not_found(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(100).collect();
    Problem::new(
        StatusCode::NOT_FOUND,
        format!("no route for {path}"),
        "GET /openapi.json lists the routes",
    )
}

async fn method_not_allowed() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method not allowed",
        "GET /openapi.json lists the methods",
    )
}
