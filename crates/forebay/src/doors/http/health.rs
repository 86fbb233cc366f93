//! `/health` and `/ready`: liveness and readiness.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::app_state::AppState;
use super::problem::{Problem, json_response};

/// Queries the store each time, so that a lost store is reported.
pub(super) async fn live(State(state): State<Arc<AppState>>) -> Response {
    let app = Arc::clone(state.own());
    match state.calls().run_short(move || app.check_store()).await {
        Ok(()) => json_response(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })),
        Err(error) => {
            tracing::warn!(%error, "the store is unavailable");
            // The caller is not authenticated, so the location of the store is not disclosed.
            let hint = "see the server's log";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the store is unavailable", hint)
                .retry_after(1)
                .into_response()
        }
    }
}

/// Like `/health`, but fails during shutdown.
pub(super) async fn ready(state: State<Arc<AppState>>, end: CancellationToken) -> Response {
    if end.is_cancelled() {
        let problem = Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is shutting down",
            "use another one",
        );
        return problem.into_response();
    }
    live(state).await
}
