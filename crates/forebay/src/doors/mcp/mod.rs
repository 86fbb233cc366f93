//! MCP: the handler that every transport shares, and stdio: messages on stdout and nothing else, until
//! stdin closes.

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

pub(crate) use self::handler::{Admitted, Context, Handler, check_right, of_use, success};
use self::transport::Lines;
use super::calls::{Calls, Counter};
use super::signals;

/// Makes the app for a client of this name; settings that are wrong are told with the first call.
pub(crate) type AppMaker = Box<dyn Fn(&str) -> Result<App, AppError> + Send + Sync>;

/// How long runs get to end and be stored once the client has gone.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves until the client closes the connection or a signal asks to end.
pub(crate) fn serve(make_app: AppMaker) -> io::Result<()> {
    let end = CancellationToken::new();
    signals::end_with(end.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (calls, client) = (Arc::new(Calls::unbounded()), Arc::new(OneClient::new(make_app)));
    let served = runtime.block_on(serve_stdio(Arc::clone(&client), Arc::clone(&calls), end));
    calls.end_all();
    runtime.shutdown_timeout(LAST_WORDS);
    client.write_last_words();
    served
}

async fn serve_stdio(
    client: Arc<OneClient>,
    calls: Arc<Calls>,
    end: CancellationToken,
) -> io::Result<()> {
    let handler = Handler::new(Box::new(move |context| client.admit(context)), calls);
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

/// The client at the other end of stdio, which is the user's own.
struct OneClient {
    make_app: AppMaker,
    counter: OnceLock<Counter>,
}

impl OneClient {
    fn new(make_app: AppMaker) -> Self {
        Self { make_app, counter: OnceLock::new() }
    }

    /// The app is made when it is first needed, because only then the client has told its name.
    fn admit(&self, context: &Context) -> Result<Admitted, AppError> {
        if self.counter.get().is_none() {
            let name = context.client_info().map_or_else(|| "mcp".to_owned(), |client| client.name);
            let app = Arc::new((self.make_app)(&name)?);
            let counter = self.counter.get_or_init(|| Counter { app, idle: Arc::default() });
            handler::count_tool_list(&counter.app);
        }
        let counter = self.counter.get().cloned();
        let counter = counter.ok_or_else(|| AppError::unavailable("there is no app", None))?;
        Ok(Admitted { counter, rights: Rights::ALL })
    }

    /// Writes what was put off, when no call is left.
    fn write_last_words(&self) {
        if let Some(counter) = self.counter.get() {
            counter.app.flush_ledger();
        }
    }
}
