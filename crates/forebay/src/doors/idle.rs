//! What can wait is done when the client pauses: stored text becomes searchable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_app::App;

/// A pause this long means that the client is busy with something else.
const PAUSE: Duration = Duration::from_millis(200);

/// Counts the calls, to see whether another one came.
#[derive(Default)]
pub(super) struct Idle {
    calls: Arc<AtomicU64>,
}

impl Idle {
    /// Settles once no further call has come for a while; a search would catch up by itself.
    pub(super) fn settle_soon(&self, app: Arc<App>) {
        let calls = Arc::clone(&self.calls);
        let mine = calls.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            if calls.load(Ordering::Relaxed) == mine {
                tokio::task::spawn_blocking(move || settle(&app));
            }
        });
    }
}

fn settle(app: &App) {
    if let Err(error) = app.settle() {
        tracing::warn!(%error, "some output is not searchable yet");
    }
}
