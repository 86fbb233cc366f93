//! Ends responses that are still open when their token is revoked or expires.
//!
//! The guard verifies a token once, when a request arrives; an event stream may stay open for hours after that.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use forebay_app::team::tokens;
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::app_state::AppState;

/// How often the tokens of open streams are looked up; a revocation takes effect within a second.
const CHECK_INTERVAL: Duration = Duration::from_millis(400);

/// The tokens of open streams, each looked up once however many streams it has.
pub(super) struct TokenWatch {
    state: Arc<AppState>,
    watched: Mutex<HashMap<String, Weak<CancellationToken>>>,
}

impl TokenWatch {
    pub(super) fn new(state: &Arc<AppState>) -> Arc<Self> {
        Arc::new(Self { state: Arc::clone(state), watched: Mutex::default() })
    }

    /// Ends the body when the token is no longer valid. A body of known length is already complete.
    pub(super) fn limit(self: &Arc<Self>, response: Response, token_id: &str) -> Response {
        if response.body().size_hint().exact().is_some() {
            return response;
        }
        let invalid = self.watch(token_id);
        response.map(|body| {
            // The future owns `invalid`, so the token is watched as long as the stream is open.
            let ended = async move { invalid.cancelled().await };
            Body::from_stream(body.into_data_stream().take_until(Box::pin(ended)))
        })
    }

    /// Returns what is cancelled when the token is no longer valid.
    pub(super) fn watch(self: &Arc<Self>, token_id: &str) -> Arc<CancellationToken> {
        let mut watched = self.watched.lock();
        if let Some(known) = watched.get(token_id).and_then(Weak::upgrade) {
            return known;
        }
        let invalid = Arc::new(CancellationToken::new());
        let streams = Arc::downgrade(&invalid);
        watched.insert(token_id.to_owned(), streams.clone());
        tokio::spawn(Arc::clone(self).check(token_id.to_owned(), streams));
        invalid
    }

    /// Looks the token up until it is invalid or its last stream is closed.
    async fn check(self: Arc<Self>, token_id: String, streams: Weak<CancellationToken>) {
        while streams.strong_count() > 0 {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if self.is_invalid(&token_id).await
                && let Some(invalid) = streams.upgrade()
            {
                invalid.cancel();
                break;
            }
        }
        let mut watched = self.watched.lock();
        if watched.get(&token_id).is_some_and(|current| current.ptr_eq(&streams)) {
            watched.remove(&token_id);
        }
    }

    /// While the store cannot be asked, nothing is known; no new request is admitted then, either.
    async fn is_invalid(&self, token_id: &str) -> bool {
        let (state, token_id) = (Arc::clone(&self.state), token_id.to_owned());
        let lookup = move || tokens::is_valid(state.own(), &token_id);
        matches!(tokio::task::spawn_blocking(lookup).await, Ok(Ok(false)))
    }
}
