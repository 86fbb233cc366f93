//! `POST /api/change`: previews a change of the memory, or makes it. Only with `--write`.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use forebay_app::AppError;
use forebay_app::dashboard::{self, Change};
use serde_json::{Value, json};

use super::UiState;
use crate::doors::http::body;
use crate::doors::http::problem::{Problem, json_response};

/// Its value comes from `GET /api/access`, which no page of another origin can read.
const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-forebay-csrf-token");

/// What the page needs to know to offer changes.
pub(super) async fn access(State(state): State<Arc<UiState>>) -> Response {
    json_response(&json!({ "csrf_token": state.access.csrf_token(), "is_server": false }))
}

pub(super) async fn make(
    State(state): State<Arc<UiState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let token = headers.get(CSRF_TOKEN).map(HeaderValue::as_bytes).unwrap_or_default();
    if !state.access.is_csrf_token(token) {
        let hint = "reload the page";
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "the CSRF token is missing or wrong",
            hint,
        ));
    }
    let mut input = body::json(&headers, &body)?;
    let confirm = input.as_object_mut().and_then(|fields| fields.remove("confirm"));
    let change: Change = serde_json::from_value(input).map_err(|error| no_change(&error))?;
    let app = Arc::clone(&state.app);
    let answer = move || match confirm {
        None => dashboard::preview(&app, &change),
        Some(confirm) => dashboard::apply(&app, change, count(&confirm)?),
    };
    Ok(json_response(&state.calls.run_short(answer).await?))
}

fn count(confirm: &Value) -> Result<u64, AppError> {
    confirm.as_u64().ok_or_else(|| AppError::bad_input("`confirm` is no count", "reload the page"))
}

fn no_change(error: &serde_json::Error) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, format!("no such change: {error}"), "reload the page")
}
