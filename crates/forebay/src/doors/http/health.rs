//! `/health` and `/ready`: whether the store answers, and whether new requests should come here.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::desk::Desk;
use super::problem::{Problem, json_response};

/// The store is asked each time: a server whose store has gone is not well.
pub(super) async fn live(State(desk): State<Arc<Desk>>) -> Response {
    let app = Arc::clone(desk.own());
    match desk.calls().look(move || app.check_store()).await {
        Ok(()) => json_response(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })),
        Err(error) => {
            tracing::warn!(%error, "the store does not answer");
            // Whoever asks is not known, so where the store lies is not told.
            let hint = "the server's log tells why";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the store does not answer", hint)
                .later(1)
                .into_response()
        }
    }
}

/// The same, until the server is asked to end.
pub(super) async fn ready(desk: State<Arc<Desk>>, end: CancellationToken) -> Response {
    if end.is_cancelled() {
        let problem =
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server ends", "ask another");
        return problem.into_response();
    }
    live(desk).await
}
