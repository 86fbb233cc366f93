//! MCP: the handler shared by all transports, and the stdio server. Stdout carries messages only, until stdin closes.

mod ask;
mod handler;
mod transport;

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forebay_app::{App, AppError};
use forebay_domain::rights::Rights;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use tokio_util::sync::CancellationToken;

pub(crate) use self::handler::{
    AuthenticatedCaller, Context, Handler, available_tools, check_right, success,
};
use self::transport::Lines;
use super::calls::{CallerContext, Calls};
use super::signals;

/// Creates the app for a client; invalid settings are reported by the first call.
pub(crate) type AppMaker = Box<dyn Fn(&str) -> Result<App, AppError> + Send + Sync>;

/// Time for runs to end and be stored after the client disconnects.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves until the client disconnects or a signal arrives.
pub(crate) fn serve(make_app: AppMaker) -> io::Result<()> {
    let end = CancellationToken::new();
    signals::end_with(end.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (calls, client) = (Arc::new(Calls::unbounded()), Arc::new(StdioClient::new(make_app)));
    let served = runtime.block_on(serve_stdio(Arc::clone(&client), Arc::clone(&calls), end));
    calls.end_all();
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    client.flush();
    served
}

async fn serve_stdio(
    client: Arc<StdioClient>,
    calls: Arc<Calls>,
    end: CancellationToken,
) -> io::Result<()> {
    let handler = Handler::new(Box::new(move |context| client.authenticate(context)), calls);
    let (stdin, stdout) = stdio_pipes();
    match handler.serve_with_ct(Lines::new(stdin, stdout), end).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that disconnects before its first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The client on stdio, which is the user's own.
struct StdioClient {
    make_app: AppMaker,
    caller_context: OnceLock<CallerContext>,
}

impl StdioClient {
    fn new(make_app: AppMaker) -> Self {
        Self { make_app, caller_context: OnceLock::new() }
    }

    /// Creates the app on first use, when the client's name is known.
    fn authenticate(&self, context: &Context) -> Result<AuthenticatedCaller, AppError> {
        if self.caller_context.get().is_none() {
            let name = context.client_info().map_or_else(|| "mcp".to_owned(), |client| client.name);
            let app = Arc::new((self.make_app)(&name)?);
            let caller_context =
                self.caller_context.get_or_init(|| CallerContext { app, idle: Arc::default() });
            handler::count_tool_list(&caller_context.app);
        }
        let caller_context = self.caller_context.get().cloned();
        let caller_context = caller_context
            .ok_or_else(|| AppError::unavailable("the app is not available", None))?;
        Ok(AuthenticatedCaller { caller_context, rights: Rights::ALL })
    }

    /// Flushes deferred writes when no call is left.
    fn flush(&self) {
        if let Some(caller_context) = self.caller_context.get() {
            caller_context.app.flush_usage();
        }
    }
}
