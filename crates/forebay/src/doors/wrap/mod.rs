//! A proxy in front of another MCP server: on stdio to the client, and to the server on stdio or over HTTP.
//!
//! Messages are forwarded as they came, both ways, whatever revision of the protocol they are of: only calls of tools, their
//! results and the list of tools are looked at.
//!
//! - `client`: the direction to the server, with the permission rules; `server`: the direction to the client;
//! - `rewriter`: the thread on which answers are changed: `result`, `listing`;
//! - `own_tools`: tools of ours in the list, if the user wants it short;
//! - `remote`: a server at a URL, behind the same pipes as a process;
//! - `restart`: a server that is started again when it dies;
//! - `upstream`: a server with its threads, however it is reached; `gateway`: several servers as one;
//! - `session`: what both directions know of each other;
//! - `json`, `lines`: values and lines as they are written; `keys`: what decoders may read in different ways.
//!
//! The client sees what it would see of the server itself: its end, its exit code, its stderr, and nothing if it is silent.

mod client;
mod gateway;
mod json;
mod keys;
mod lines;
mod listing;
mod own_tools;
mod remote;
mod restart;
mod result;
mod rewriter;
mod server;
mod session;
mod upstream;

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::thread;

use forebay_app::bounds::SERVER_END_TIMEOUT;
use forebay_app::wrap::WrappedServer;
use forebay_domain::Ending;
use forebay_sandbox::{CancelToken, ServerPipes, ServerProcess};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};
use signal_hook::iterator::Signals;

use self::client::ToServer;
pub(crate) use self::gateway::{ForebayTools, GatewayServer, serve as serve_gateway};
pub(in crate::doors) use self::gateway::{Gateway, Outbox, Parts, REVISIONS};
pub(in crate::doors) use self::json::{Members, id_key, items};
pub(crate) use self::remote::Endpoint;
pub(crate) use self::restart::{Restarts, StartError};
use self::session::Session;
pub(crate) use self::upstream::Upstream;
use self::upstream::{Client, OnEnd, Running, forward};

/// Forwards until the server ends.
pub(crate) fn serve(
    server: WrappedServer,
    process: ServerProcess,
    pipes: ServerPipes,
) -> io::Result<Ending> {
    let signals = CancelToken::new();
    // The server decides what a signal means.
    let signalled = signals.clone();
    on_signal(self::signals()?, move |signal| signalled.forward(signal))?;
    let without_client = signals.clone();
    let on_end = OnEnd {
        of_requests: |has_client_ended: bool| {
            if !has_client_ended {
                close_stdin();
            }
        },
        of_client: move || end_server(&without_client),
    };
    let forwarding = forward(server, pipes, stdio()?, on_end)?;
    let ending = process.wait(&signals)?;
    // What the server has said before its end still reaches the client.
    forwarding.wait();
    Ok(ending)
}

/// Forwards until a server that may be started again has ended for good, or the client has all answers of one at a URL.
pub(crate) fn serve_upstream(
    server: WrappedServer,
    upstream: Upstream,
) -> Result<Ending, StartError> {
    let signals = signals()?;
    let running = Arc::new(Running::start(server, upstream, stdio()?)?);
    let signalled = Arc::clone(&running);
    on_signal(signals, move |signal| signalled.stop(signal))?;
    Ok(running.wait())
}

/// The client that has started this process.
fn stdio() -> io::Result<Client> {
    let wait_for_hang_up = Arc::new(wait_for_hang_up);
    Ok(Client { requests: Box::new(stdin()?), answers: stdout()?, wait_for_hang_up })
}

/// What the server is sent of the lines of its client, for fuzzing: they must fit into a pipe.
pub(crate) fn lines_for_server(server: WrappedServer, lines: &[u8]) -> io::Result<Vec<u8>> {
    let client = File::options().write(true).open("/dev/null")?;
    let (mut sent, to_server) = io::pipe()?;
    ToServer::new(Arc::new(Session::new(server, client)), to_server).run(lines)?;
    let mut bytes = Vec::new();
    sent.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An object as it is written after it was read, for fuzzing; `None` if it is refused.
pub(crate) fn rewritten_object(text: &str) -> Option<String> {
    Members::parse(text).ok().map(Members::into_text)
}

fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<thread::JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

fn stdin() -> io::Result<File> {
    Ok(File::from(rustix::io::dup(rustix::stdio::stdin())?))
}

fn stdout() -> io::Result<File> {
    Ok(File::from(rustix::io::dup(rustix::stdio::stdout())?))
}

/// The signals that end a wrapper; from now on they wait for [`on_signal`].
fn signals() -> io::Result<Signals> {
    Signals::new([SIGINT, SIGTERM, SIGHUP])
}

fn on_signal(mut signals: Signals, action: impl Fn(i32) + Send + 'static) -> io::Result<()> {
    spawn("signals", move || signals.forever().for_each(action))?;
    Ok(())
}

/// The server does not read, or the client cannot be answered: the client learns that as it would without us.
fn close_stdin() {
    if let Ok(null) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(null);
    }
}

/// Ends a server whose client is gone, unless it ends by itself: its stdin tells it of that end.
fn end_server(server: &CancelToken) {
    let _ = server.wait(SERVER_END_TIMEOUT);
    server.forward(SIGTERM);
    let _ = server.wait(SERVER_END_TIMEOUT);
    server.forward(SIGKILL);
}

/// Waits until the read end of our stdout is closed.
fn wait_for_hang_up() -> io::Result<()> {
    let stdout = rustix::stdio::stdout();
    loop {
        // Without events only a hang-up or an error is reported.
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
