//! `GET /api/live`: what is being stored, as server-sent events.
//!
//! Each event has a batch and the position after it, so that a browser that reconnects gets what it missed. A slow browser
//! is waited for: nothing is dropped.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use forebay_app::App;
use forebay_app::dashboard::{LivePosition, LiveReader};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::UiState;
use crate::doors::calls::Calls;
use crate::doors::http::problem::Problem;

/// Entries and events from before the stream.
const BACKLOG: usize = 50;
/// Between two looks at the store, while nothing is new.
const PAUSE: Duration = Duration::from_millis(300);
/// Looks without news after which a comment tells whether the browser is still there.
const LOOKS_PER_COMMENT: u32 = 30;
/// Batches buffered for a slow browser.
const BUFFERED: usize = 4;

pub(super) async fn follow(
    State(state): State<Arc<UiState>>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let source = Source {
        app: Arc::clone(&state.app),
        calls: Arc::clone(&state.calls),
        end: state.streams_end.clone(),
    };
    stream(source, &state.streams, &query, &headers)
}

/// What is followed, and until when.
pub(in crate::doors) struct Source {
    pub(in crate::doors) app: Arc<App>,
    pub(in crate::doors) calls: Arc<Calls>,
    pub(in crate::doors) end: CancellationToken,
}

/// Answers with what is being stored, from a position that the request may name.
pub(in crate::doors) fn stream(
    source: Source,
    streams: &Arc<Semaphore>,
    query: &[(String, String)],
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let stream = Arc::clone(streams).try_acquire_owned().map_err(|_| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many live views", "close another tab")
    })?;
    let known = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let given = query.iter().find(|(name, _)| name == "after").map(|(_, text)| text.as_str());
    let position = known.or(given).and_then(LivePosition::parse);
    let reader = match position {
        Some(position) => LiveReader::from_position(position, BACKLOG),
        None => LiveReader::with_backlog(BACKLOG),
    };
    let (sender, batches) = mpsc::channel(BUFFERED);
    tokio::spawn(send(source, reader, sender, stream));
    let batches = unfold(batches, |mut batches| async move {
        let batch: Bytes = batches.recv().await?;
        Some((Ok::<_, Infallible>(batch), batches))
    });
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))];
    Ok((kind, Body::from_stream(batches)).into_response())
}

/// Sends batches until the browser is gone or the server ends.
async fn send(
    source: Source,
    mut reader: LiveReader,
    sender: mpsc::Sender<Bytes>,
    _stream: OwnedSemaphorePermit,
) {
    let mut looks = 0;
    let mut told = None;
    loop {
        let app = Arc::clone(&source.app);
        let mut next = reader.clone();
        let read = source.calls.run_short(move || Ok((next.read(&app), next))).await;
        let (items, fault) = match read {
            Ok((batch, next)) => {
                reader = next;
                (batch.items, batch.fault)
            }
            Err(error) => (Vec::new(), Some(error)),
        };
        let has_news = !items.is_empty();
        let mut text = if has_news { batch_event(&reader, &items) } else { String::new() };
        let problem = fault.map(|error| error.to_text());
        if problem != told {
            text.push_str(&problem_event(problem.as_deref()));
            told = problem;
        }
        if text.is_empty() && looks == 0 {
            ": nothing new\n\n".clone_into(&mut text);
        }
        let is_gone = if text.is_empty() {
            sender.is_closed()
        } else {
            sender.send(text.into()).await.is_err()
        };
        if is_gone || source.end.is_cancelled() {
            return;
        }
        looks = (looks + 1) % LOOKS_PER_COMMENT;
        if !has_news {
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = source.end.cancelled() => return,
            }
        }
    }
}

/// Items and the position after them.
fn batch_event(reader: &LiveReader, items: &[Value]) -> String {
    let id = reader.position().map_or_else(String::new, |position| format!("id: {position}\n"));
    format!("{id}data: {}\n\n", json!({ "items": items }))
}

/// What cannot be read, with what to do; null as soon as it can.
fn problem_event(problem: Option<&str>) -> String {
    format!("event: problem\ndata: {}\n\n", json!({ "error": problem }))
}
