//! Background indexing while the client is idle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use forebay_app::App;

/// Idle time after which background work starts.
const PAUSE: Duration = Duration::from_millis(200);

/// Counts calls, to detect a new one.
#[derive(Default)]
pub(crate) struct Idle {
    calls: AtomicU64,
    is_waiting: AtomicBool,
}

impl Idle {
    /// Indexes after a pause without calls; searches also catch up themselves.
    pub(crate) fn index_when_idle(self: &Arc<Self>, app: Arc<App>) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if !self.is_waiting.swap(true, Ordering::SeqCst) {
            tokio::spawn(Arc::clone(self).index_after_pause(app));
        }
    }

    async fn index_after_pause(self: Arc<Self>, app: Arc<App>) {
        let mut seen = self.calls.load(Ordering::SeqCst);
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = self.calls.load(Ordering::SeqCst);
            if now == seen {
                break;
            }
            seen = now;
        }
        // A call from here on restarts the pause.
        self.is_waiting.store(false, Ordering::SeqCst);
        tokio::task::spawn_blocking(move || {
            index_pending(&app);
            self.embed_rest(&app, seen);
        });
    }
}

impl Idle {
    /// Embeds stored chunks with the remote model until the next call.
    fn embed_rest(&self, app: &App, seen: u64) {
        match app.embed_pending(|_, _| self.calls.load(Ordering::SeqCst) == seen) {
            Ok(None) => {}
            Ok(Some(why)) => tracing::info!(why, "some chunks have no remote embedding yet"),
            Err(error) => tracing::warn!(%error, "some chunks have no remote embedding yet"),
        }
    }
}

fn index_pending(app: &App) {
    if let Err(error) = app.finish_pending_work() {
        tracing::warn!(%error, "some output is not searchable yet");
    }
}
