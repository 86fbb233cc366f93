//! What can wait is done when the client pauses: stored text becomes searchable.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use forebay_app::App;

/// A pause this long means that the client is busy with something else.
const PAUSE: Duration = Duration::from_millis(200);

/// Counts the calls, to see whether another one came.
#[derive(Default)]
pub(crate) struct Idle {
    calls: AtomicU64,
    is_waiting: AtomicBool,
}

impl Idle {
    /// Settles once no further call has come for a while; a search would catch up by itself.
    pub(crate) fn settle_soon(self: &Arc<Self>, app: Arc<App>) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if !self.is_waiting.swap(true, Ordering::SeqCst) {
            tokio::spawn(Arc::clone(self).settle_after_a_pause(app));
        }
    }

    async fn settle_after_a_pause(self: Arc<Self>, app: Arc<App>) {
        let mut seen = self.calls.load(Ordering::SeqCst);
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = self.calls.load(Ordering::SeqCst);
            if now == seen {
                break;
            }
            seen = now;
        }
        // Whoever calls from here on starts to wait anew.
        self.is_waiting.store(false, Ordering::SeqCst);
        tokio::task::spawn_blocking(move || {
            settle(&app);
            self.embed_rest(&app, seen);
        });
    }
}

impl Idle {
    /// Has a server's model told of what is stored, until the next call: that one may need the processors.
    fn embed_rest(&self, app: &App, seen: u64) {
        match app.embed_rest(|_| self.calls.load(Ordering::SeqCst) == seen) {
            Ok(None) => {}
            Ok(Some(why)) => tracing::info!(why, "some passages have their built-in meaning only"),
            Err(error) => tracing::warn!(%error, "some passages have their built-in meaning only"),
        }
    }
}

fn settle(app: &App) {
    if let Err(error) = app.settle() {
        tracing::warn!(%error, "some output is not searchable yet");
    }
}
