//! `GET /context`: the overview of a project as text. Invalid parameters fall back to their defaults.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::Problem;
use super::{query, tools};

const MARKDOWN: HeaderValue = HeaderValue::from_static("text/markdown; charset=utf-8");

pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    RawQuery(asked): RawQuery,
) -> Result<Response, Problem> {
    let input = tools::input(query::pairs(asked.as_deref()));
    let (answer, _) = tools::answer(&state, &caller, &headers, "ctx_context", input).await?;
    Ok(([(header::CONTENT_TYPE, MARKDOWN)], answer.text).into_response())
}
