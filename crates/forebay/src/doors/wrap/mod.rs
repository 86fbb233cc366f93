//! A proxy in front of another MCP server on stdio.
//!
//! Messages are forwarded as they came, both ways, whatever revision of the protocol they are of: only calls of tools, their
//! results and the list of tools are looked at.
//!
//! - `client`: the direction to the server, with the permission rules; `server`: the direction to the client;
//! - `rewriter`: the thread on which answers are changed: `result`, `listing`;
//! - `session`: what both directions know of each other;
//! - `json`, `lines`: values and lines as they are written.
//!
//! The client sees what it would see of the server itself: its end, its exit code, its stderr, and nothing if it is silent.

mod client;
mod json;
mod lines;
mod listing;
mod result;
mod rewriter;
mod server;
mod session;

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use forebay_app::wrap::WrappedServer;
use forebay_domain::Ending;
use forebay_sandbox::{CancelToken, ServerPipes, ServerProcess};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};
use signal_hook::iterator::Signals;

use self::client::ToServer;
use self::rewriter::MAX_WAITING;
use self::server::ToClient;
use self::session::Session;

/// Time for a server to end after its client is gone, and again after SIGTERM.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Forwards until the server ends.
pub(crate) fn serve(
    server: WrappedServer,
    process: ServerProcess,
    pipes: ServerPipes,
) -> io::Result<Ending> {
    let signals = CancelToken::new();
    forward_signals(signals.clone())?;
    let session = Arc::new(Session::new(server, stdout()?));
    let (rewriter, jobs) = mpsc::sync_channel(MAX_WAITING);
    let stdin = stdin()?;

    let to_server = ToServer::new(Arc::clone(&session), pipes.stdin);
    let at_end = signals.clone();
    spawn("to-server", move || {
        let is_read = to_server.run(stdin).is_ok();
        end_without_client(is_read, &at_end);
    })?;
    let to_client = ToClient::new(Arc::clone(&session), rewriter);
    let forwarding = spawn("to-client", move || to_client.run(pipes.stdout))?;
    let rewriting = spawn("rewriter", move || rewriter::run(&session, &jobs))?;

    let ending = process.wait(&signals)?;
    // What the server has said before its end still reaches the client.
    let _ = forwarding.join();
    let _ = rewriting.join();
    Ok(ending)
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
    json::Members::parse(text).ok().map(json::Members::into_text)
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

/// Passes signals to the server, which decides what they mean.
fn forward_signals(server: CancelToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    spawn("signals", move || signals.forever().for_each(|signal| server.forward(signal)))?;
    Ok(())
}

/// After the end of one direction. A server that was told of the end by its stdin ends by itself; one whose client is gone
/// and that stays is ended.
fn end_without_client(has_client_ended: bool, server: &CancelToken) {
    if !has_client_ended {
        // The server does not read, or the client cannot be answered. The client learns that as it would without us.
        if let Ok(null) = File::open("/dev/null") {
            let _ = rustix::stdio::dup2_stdin(null);
        }
    }
    if wait_for_hang_up().is_err() {
        return;
    }
    let _ = server.wait(END_TIMEOUT);
    server.forward(SIGTERM);
    let _ = server.wait(END_TIMEOUT);
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
