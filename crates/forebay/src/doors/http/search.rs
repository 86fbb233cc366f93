//! `GET /v1/search?q=...`: results of `ctx_search` as JSON.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::Value;

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::{Problem, json_response};
use super::tools;

pub(super) async fn find(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let (asked, others): (Vec<_>, Vec<_>) = query.into_iter().partition(|(name, _)| name == "q");
    let mut input = tools::input(others);
    input["queries"] = asked.into_iter().map(|(_, text)| Value::String(text)).collect();
    let (answer, _) = tools::answer(&state, &caller, &headers, "ctx_search", input).await?;
    Ok(json_response(&answer.data))
}
