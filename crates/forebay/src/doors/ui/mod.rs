//! The dashboard: a web page on loopback, for the user who started it. `forebay serve` shows the same page and views to those
//! with a token (`http/dashboard.rs`).
//!
//! ```text
//! access   the link that works once, and the cookie it becomes     guard   checks of every request
//! assets   the page, which is part of the binary                   views   the data behind it, as JSON
//! live     what is being stored, as server-sent events             router  the table of routes
//! changes  of the memory, with `--write` only                      images  of entries, in a sandbox
//! ```
//! What it shows and changes is decided by `forebay_app::dashboard`.

mod access;
pub(in crate::doors) mod assets;
mod changes;
pub(in crate::doors) mod guard;
pub(in crate::doors) mod images;
pub(in crate::doors) mod live;
mod router;
pub(in crate::doors) mod views;

use std::net::SocketAddr;
use std::sync::Arc;

use forebay_app::bounds::MAX_LIVE_STREAMS;
use forebay_app::{App, AppError};
use tokio_util::sync::CancellationToken;

use self::access::Access;
use super::calls::Calls;
use super::http::{listener, metrics::Metrics};
use super::signals;

/// State shared by all requests.
struct UiState {
    app: Arc<App>,
    calls: Arc<Calls>,
    access: Access,
    streams: Arc<tokio::sync::Semaphore>,
    streams_end: CancellationToken,
}

/// Whether users may change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    ReadOnly,
    Write,
}

/// Serves the dashboard until a signal; `ready` gets its link once it listens.
pub(crate) fn serve(
    app: App,
    port: u16,
    mode: Mode,
    ready: impl FnOnce(&str) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let end = CancellationToken::new();
    signals::end_with(end.clone()).map_err(fault)?;
    let listener = listener::bind(&format!("127.0.0.1:{port}")).map_err(|error| AppError {
        hint: Some("choose another --port; 0 picks a free one".to_owned()),
        ..error
    })?;
    let address = listener.local_addr().map_err(fault)?;
    let settings = app.settings.serve.clone();
    let access = Access::new(address, mode)?;
    let link = access.link();
    let state = Arc::new(UiState {
        app: Arc::new(app),
        calls: Arc::new(Calls::bounded()),
        access,
        streams: Arc::new(tokio::sync::Semaphore::new(MAX_LIVE_STREAMS)),
        streams_end: CancellationToken::new(),
    });
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)?;
    runtime.block_on(async {
        let router = router::router(&state)?;
        let listener = listener::Listener::new(listener, None, &settings).map_err(fault)?;
        ready(&link)?;
        let (idle, streams_end) = (state.calls.wait_until_idle(), state.streams_end.clone());
        // Streams never end by themselves.
        let ended = end.clone();
        let ends_streams = state.streams_end.clone();
        tokio::spawn(async move {
            ended.cancelled().await;
            ends_streams.cancel();
        });
        listener
            .serve(router, Arc::<Metrics>::default(), end, idle, streams_end)
            .await
            .map_err(fault)
    })
}

/// The only authorities that a request may name.
fn authorities(address: SocketAddr) -> [String; 2] {
    [address.to_string(), format!("localhost:{}", address.port())]
}

fn fault(error: std::io::Error) -> AppError {
    AppError::unavailable(error.to_string(), None)
}
