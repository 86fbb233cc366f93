//! A server, however it is reached, with the threads between it and its client.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use forebay_app::bounds::{MAX_WAITING_LINES, SERVER_END_TIMEOUT};
use forebay_app::wrap::WrappedServer;
use forebay_domain::Ending;
use forebay_sandbox::{CancelToken, ServerPipes};

use super::client::ToServer;
use super::remote::{Endpoint, Remote};
use super::restart::{Restarting, Restarts, StartError};
use super::rewriter;
use super::server::ToClient;
use super::session::Session;
use super::{end_server, spawn};

/// How a server is reached.
#[derive(Debug, Clone)]
pub(crate) enum Upstream {
    Program(Restarts),
    Remote(Endpoint),
}

/// The two ends of a client.
pub(super) struct Client {
    pub(super) requests: Box<dyn Read + Send>,
    pub(super) answers: File,
    pub(super) wait_for_hang_up: HangUp,
}

/// Waits until the reader of the answers is gone.
pub(in crate::doors) type HangUp = Arc<dyn Fn() -> io::Result<()> + Send + Sync>;

/// A server that runs.
pub(super) struct Running {
    stop: Box<dyn Fn(i32) + Send + Sync>,
    ending: Mutex<Receiver<Ending>>,
}

impl Running {
    pub(super) fn start(
        server: WrappedServer,
        upstream: Upstream,
        client: Client,
    ) -> Result<Self, StartError> {
        match upstream {
            Upstream::Program(restarts) => start_program(server, restarts, client),
            Upstream::Remote(endpoint) => Ok(start_remote(server, endpoint, client)?),
        }
    }

    /// Passes a signal to a program, which decides what it means; ends the connection to a server elsewhere.
    pub(super) fn stop(&self, signal: i32) {
        (self.stop)(signal);
    }

    /// Waits until the server has ended and all it has said is passed on.
    pub(super) fn wait(&self) -> Ending {
        let ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        ending.recv().unwrap_or(Ending::Exited(0))
    }
}

fn start_program(
    server: WrappedServer,
    restarts: Restarts,
    client: Client,
) -> Result<Running, StartError> {
    let (restarting, first, pipes) = Restarting::start(restarts)?;
    let signals = CancelToken::new();
    let (without_client, left) = (signals.clone(), Arc::clone(&restarting));
    let of_client = move || {
        left.stop();
        end_server(&without_client);
    };
    let on_end = OnEnd { of_requests: |_: bool| (), of_client };
    let forwarding = forward(server, pipes, client, on_end)?;
    let (ended, ending) = mpsc::channel();
    let (waiting, forwarded) = (Arc::clone(&restarting), signals.clone());
    spawn("server", move || {
        let ending = waiting.wait(first, &forwarded).unwrap_or(Ending::Exited(1));
        forwarding.wait();
        let _ = ended.send(ending);
    })?;
    let stop = Box::new(move |signal| {
        restarting.stop();
        signals.forward(signal);
    });
    Ok(Running { stop, ending: Mutex::new(ending) })
}

fn start_remote(server: WrappedServer, endpoint: Endpoint, client: Client) -> io::Result<Running> {
    let (remote, pipes) = Remote::connect(endpoint, server.accept_timeout())?;
    let without_client = Arc::clone(&remote);
    let on_end = OnEnd {
        of_requests: |_: bool| (),
        of_client: move || without_client.abort_after(SERVER_END_TIMEOUT),
    };
    let forwarding = forward(server, pipes, client, on_end)?;
    let (ended, ending) = mpsc::channel();
    let signal = Arc::new(AtomicI32::new(0));
    let (ending_remote, got) = (Arc::clone(&remote), Arc::clone(&signal));
    spawn("server", move || {
        forwarding.wait();
        ending_remote.end();
        let _ = ended.send(match got.load(Ordering::Acquire) {
            0 => Ending::Exited(0),
            signal => Ending::Signalled(signal),
        });
    })?;
    let stop = Box::new(move |number| {
        signal.store(number, Ordering::Release);
        remote.end();
    });
    Ok(Running { stop, ending: Mutex::new(ending) })
}

/// The threads between a server and its client.
pub(super) struct Forwarding {
    to_client: JoinHandle<io::Result<()>>,
    rewriting: JoinHandle<()>,
}

impl Forwarding {
    /// Waits until the server has said all.
    pub(super) fn wait(self) {
        let _ = self.to_client.join();
        let _ = self.rewriting.join();
    }
}

/// What runs when a client ends.
pub(super) struct OnEnd<Requests, Client> {
    /// After its last request, with whether the client has ended that direction.
    pub(super) of_requests: Requests,
    /// Once nobody reads the answers any more, even if the server has not read all requests.
    pub(super) of_client: Client,
}

/// Starts to forward in both directions.
pub(super) fn forward(
    server: WrappedServer,
    pipes: ServerPipes,
    client: Client,
    on_end: OnEnd<impl FnOnce(bool) + Send + 'static, impl FnOnce() + Send + 'static>,
) -> io::Result<Forwarding> {
    let Client { requests, answers, wait_for_hang_up } = client;
    let OnEnd { of_requests, of_client } = on_end;
    let session = Arc::new(Session::new(server, answers));
    let (rewriter, jobs) = mpsc::sync_channel(MAX_WAITING_LINES);
    let to_server = ToServer::new(Arc::clone(&session), pipes.stdin);
    spawn("to-server", move || of_requests(to_server.run(requests).is_ok()))?;
    spawn("hang-up", move || {
        if wait_for_hang_up().is_ok() {
            of_client();
        }
    })?;
    let to_client = ToClient::new(Arc::clone(&session), rewriter);
    let to_client = spawn("to-client", move || to_client.run(pipes.stdout))?;
    let rewriting = spawn("rewriter", move || rewriter::run(&session, &jobs))?;
    Ok(Forwarding { to_client, rewriting })
}
