//! MCP over stdio: messages on stdout and nothing else, until stdin closes.

mod ask;
mod handler;
mod idle;
mod transport;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio_util::sync::CancellationToken;

pub(crate) use self::handler::AppMaker;
use self::handler::Handler;
use self::transport::Lines;

/// How long runs get to end and be stored once the client has gone.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves until the client closes the connection or a signal asks to end.
pub(crate) fn serve(make_app: AppMaker) -> io::Result<()> {
    let end = CancellationToken::new();
    end_on_signal(end.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handler = Arc::new(Handler::new(make_app));
    let served = runtime.block_on(serve_stdio(Arc::clone(&handler), end));
    handler.end_all_calls();
    runtime.shutdown_timeout(LAST_WORDS);
    served
}

async fn serve_stdio(handler: Arc<Handler>, end: CancellationToken) -> io::Result<()> {
    let (stdin, stdout) = stdio_pipes();
    match handler.serve_with_ct(Lines::new(stdin, stdout), end).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that goes before it said anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// A signal ends the server in good order: what runs is ended and stored.
fn end_on_signal(end: CancellationToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end.cancel();
        }
    });
    Ok(())
}
