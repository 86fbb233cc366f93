//! `GET /image/{reference}`: an entry that is an image.
//!
//! Its bytes come from outside. The media type follows from the bytes alone and is one that browsers draw; opened as a page
//! of its own, it is in a sandbox without scripts, styles and addresses.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use forebay_app::App;
use forebay_app::dashboard::{self, Image};

use super::UiState;
use crate::doors::calls::Calls;
use crate::doors::http::problem::Problem;

const POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

pub(super) async fn show(
    State(state): State<Arc<UiState>>,
    Path(reference): Path<String>,
) -> Result<Response, Problem> {
    answer(Arc::clone(&state.app), &state.calls, reference).await
}

/// Answers with an image of an app.
pub(in crate::doors) async fn answer(
    app: Arc<App>,
    calls: &Calls,
    reference: String,
) -> Result<Response, Problem> {
    let Image { media_type, bytes } =
        calls.run_short(move || dashboard::image(&app, &reference)).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    ];
    Ok((headers, bytes).into_response())
}
