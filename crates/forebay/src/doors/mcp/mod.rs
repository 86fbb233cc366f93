//! MCP: the handler shared by all transports, and the stdio server. Stdout carries messages only, until stdin closes.

mod apps;
mod ask;
mod completions;
mod handler;
mod hang_up;
mod in_flight;
mod log_messages;
mod message;
mod prompts;
mod resources;
mod subscriptions;
mod tasks;
mod transport;

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forebay_app::bounds::{ANSWERS_AFTER_END, EXIT_AFTER_END, KILL_AFTER_END};
use forebay_app::{App, AppError};
use forebay_domain::rights::Rights;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio_util::sync::CancellationToken;

pub(crate) use self::handler::{
    AuthenticatedCaller, Context, Handler, available_tools, check_right, listing, success,
    tool_list_tokens,
};
pub(crate) use self::message::{Refusal, Verdict, classify};
use self::transport::Lines;
use super::calls::{CallerContext, Calls};
use super::signals;

/// Creates the app for a client; invalid settings are reported by the first call.
pub(crate) type AppMaker = Box<dyn Fn(&str) -> Result<App, AppError> + Send + Sync>;

/// Time for threads to end once nothing waits for them any more.
const LAST_MOMENT: Duration = Duration::from_millis(300);

/// Serves until the client disconnects or a signal arrives. Calls that still run are then cancelled and stored.
pub(crate) fn serve(make_app: AppMaker) -> io::Result<()> {
    let end = CancellationToken::new();
    signals::end_with(end.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (calls, client) = (Arc::new(Calls::bounded()), Arc::new(StdioClient::new(make_app)));
    let served = runtime.block_on(serve_stdio(Arc::clone(&client), Arc::clone(&calls), end));
    calls.end_all();
    runtime.shutdown_timeout(LAST_MOMENT);
    client.flush();
    served
}

async fn serve_stdio(
    client: Arc<StdioClient>,
    calls: Arc<Calls>,
    end: CancellationToken,
) -> io::Result<()> {
    let (authenticate, running) =
        (Box::new(move |context: &_| client.authenticate(context)), Arc::clone(&calls));
    let handler = Handler::new(authenticate, running);
    let (stdin, stdout) = stdio_pipes();
    let ended = CancellationToken::new();
    let lines = Lines::new(stdin, stdout, ended.clone());
    let in_flight = lines.in_flight();
    let gone = hang_up::client_is_gone(hang_up::watch_stdin()?, &in_flight);
    tokio::select! {
        served = serve_lines(handler, lines, end.clone()) => served,
        () = end_calls(&calls, ended, end, gone) => Ok(()),
    }
}

/// After the end of the input or a signal: time for answers, then calls are cancelled, then killed.
async fn end_calls(
    calls: &Calls,
    ended: CancellationToken,
    signalled: CancellationToken,
    gone: impl Future<Output = ()>,
) {
    tokio::select! {
        () = ended.cancelled() => tokio::time::sleep(ANSWERS_AFTER_END).await,
        () = signalled.cancelled() => {}
        () = gone => {}
    }
    calls.end_all();
    tokio::time::sleep(KILL_AFTER_END.saturating_sub(ANSWERS_AFTER_END)).await;
    calls.kill_all();
    tokio::time::sleep(EXIT_AFTER_END.saturating_sub(KILL_AFTER_END)).await;
}

async fn serve_lines(
    handler: Handler,
    lines: Lines<StdioReader, StdioWriter>,
    end: CancellationToken,
) -> io::Result<()> {
    match handler.serve_with_ct(lines, end).await {
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
