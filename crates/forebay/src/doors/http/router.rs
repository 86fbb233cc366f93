//! The table of routes, and what every request passes on its way to one.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, Uri};
use axum::routing::{get, post};
use forebay_app::settings::Serve;
use tokio_util::sync::CancellationToken;

use super::desk::Desk;
use super::guard::{self, Guard};
use super::problem::Problem;
use super::{Access, context, entries, health, mcp, metrics, oauth, openapi, search, team, tools};

/// What answers at which path. `streams_end` ends the answers that would never end by themselves.
pub(super) fn router(
    desk: &Arc<Desk>,
    settings: &Serve,
    access: Access,
    end: &CancellationToken,
    streams_end: &CancellationToken,
) -> Router {
    let guard = Arc::new(Guard::new(desk, settings, access));
    let routes = Router::new()
        .route("/health", get(health::live))
        .route(
            "/ready",
            get({
                let end = end.clone();
                move |desk| health::ready(desk, end)
            }),
        )
        .route("/metrics", get(metrics::show))
        .route("/openapi.json", get(openapi::show))
        .route("/v1/tools", get(tools::list))
        .route("/v1/tools/{name}", post(tools::call))
        .route("/v1/entries/{reference}", get(entries::show))
        .route("/v1/search", get(search::find))
        .route("/v1/team/entries", get(team::give).post(team::take))
        .route("/context", get(context::tell))
        .with_state(Arc::clone(desk))
        .route_service("/mcp", mcp::service(desk, settings, streams_end));
    oauth::add_to(routes, settings)
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        // The guard has read the body within the limit of the settings; the library has one of its own.
        .layer(DefaultBodyLimit::disable())
        .layer(axum::middleware::from_fn_with_state(guard, guard::pass))
}

async fn nothing_here(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(100).collect();
    Problem::new(
        StatusCode::NOT_FOUND,
        format!("there is nothing at {path}"),
        "GET /openapi.json tells what there is",
    )
}

async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this path does not take this method",
        "GET /openapi.json tells which it takes",
    )
}
