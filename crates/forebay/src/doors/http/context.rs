//! `GET /context`: what is known of a project, as text. Whatever is wrong with a value, its default holds.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::caller::Caller;
use super::desk::Desk;
use super::problem::Problem;
use super::{query, tools};

const MARKDOWN: HeaderValue = HeaderValue::from_static("text/markdown; charset=utf-8");

pub(super) async fn tell(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    RawQuery(asked): RawQuery,
) -> Result<Response, Problem> {
    let input = tools::input(query::pairs(asked.as_deref()));
    let (answer, _) = tools::answer(&desk, &caller, &headers, "ctx_context", input).await?;
    Ok(([(header::CONTENT_TYPE, MARKDOWN)], answer.text).into_response())
}
