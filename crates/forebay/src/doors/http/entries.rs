//! `GET /v1/entries/{reference}`: an entry, paged as JSON or whole as bytes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use forebay_app::tools::get;
use forebay_app::{App, AppError};
use hyper::body::Frame;
use serde_json::Value;
use tokio::sync::mpsc;

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::{Problem, json_response};
use super::tools;
use crate::doors::mcp;

/// Pieces buffered for a slow reader.
const BUFFERED_PIECES: usize = 4;

pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    Path(reference): Path<String>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let is_raw = query.iter().any(|(name, value)| name == "raw" && value != "false");
    if is_raw {
        mcp::check_right(forebay_app::tools::find("ctx_get")?, caller.rights())?;
        let app = state.context_for(&caller, caller.name(), &headers)?.app;
        return raw(app, reference).await;
    }
    let mut input = tools::input(query);
    input["ref"] = Value::String(reference);
    let (answer, _) = tools::answer(&state, &caller, &headers, "ctx_get", input).await?;
    Ok(json_response(&answer.data))
}

/// Streams the stored bytes, with back-pressure.
async fn raw(app: Arc<App>, reference: String) -> Result<Response, Problem> {
    let (sender, mut pieces) = mpsc::channel(BUFFERED_PIECES);
    let input = get::Input { r#ref: reference, ..get::Input::default() };
    tokio::task::spawn_blocking(move || {
        let mut hand_over =
            |piece: &[u8]| sender.blocking_send(Ok(Bytes::copy_from_slice(piece))).is_ok();
        if let Err(error) = get::raw(&app, &input, &mut hand_over) {
            // A disconnected caller needs no error.
            let _ = sender.blocking_send(Err(error));
        }
    });
    let first = pieces.recv().await.transpose()?;
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"))];
    Ok((kind, Body::new(Pieces { first, rest: pieces })).into_response())
}

/// A streamed body.
struct Pieces {
    first: Option<Bytes>,
    rest: mpsc::Receiver<Result<Bytes, AppError>>,
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = AppError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, AppError>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.rest.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
