//! MCP over stdio: messages on stdout and nothing else, until stdin closes.

mod handler;
mod transport;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

pub(crate) use self::handler::AppMaker;
use self::handler::Handler;
use self::transport::Tolerant;

/// How long runs get to end and be stored once the client has gone.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves until the client closes the connection.
pub(crate) fn serve(make_app: AppMaker) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handler = Arc::new(Handler::new(make_app));
    let served = runtime.block_on(serve_stdio(Arc::clone(&handler)));
    handler.end_all_calls();
    runtime.shutdown_timeout(LAST_WORDS);
    served
}

async fn serve_stdio(handler: Arc<Handler>) -> io::Result<()> {
    let (stdin, stdout) = stdio_pipes();
    let transport = Tolerant::new(AsyncRwTransport::new_server(stdin, stdout));
    match handler.serve(transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that goes before it said anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}
