//! Several MCP servers as one: `forebay gateway`.
//!
//! Each server runs behind a wrapper of its own (`upstream`), as with `forebay wrap`. The gateway gives the client one list of
//! their tools, prompts and resources, and sends each request to the server that it is about. Requests keep their ids and
//! answers pass as they are; only names in lists and calls get or lose the prefix of their server.
//!
//! - `member`: a server, and the requests of the gateway's own; `permitted`: which of its tools may be called;
//! - `merge`: one greeting and one list of several;
//! - `routes`: which server a name, an address or a request belongs to; `queue`: what a server has not read yet;
//! - `requests`: from the client; `answers`: from a server; `work`: what the gateway does for a request itself;
//! - `forebay_tools`: Forebay's tools that read what a reference stands for.
//!
//! On stdio there is one client. Over HTTP (`doors/http/gateway`), each session has a gateway with servers of its own.

mod answers;
mod forebay_tools;
mod member;
mod merge;
mod permitted;
mod queue;
mod requests;
mod routes;
mod work;

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use forebay_app::wrap::WrappedServer;
use forebay_app::wrap::tool_list::ToolListing;
use forebay_domain::Ending;
use forebay_domain::rights::Rights;

pub(crate) use self::forebay_tools::ForebayTools;
use self::member::Member;
pub(in crate::doors) use self::merge::REVISIONS;
use self::routes::Routes;
use self::work::RunningWork;
use super::own_tools::OwnTools;
use super::session::Flag;
use super::upstream::{HangUp, Upstream};
use super::{StartError, lines};

/// A server of the list.
pub(crate) struct GatewayServer {
    /// In front of the names of its tools and prompts.
    pub(crate) prefix: String,
    pub(crate) server: WrappedServer,
    pub(crate) upstream: Upstream,
    /// What its client may use of it.
    pub(crate) rights: Rights,
}

/// Where messages for a client go.
pub(in crate::doors) trait Outbox: Send + Sync {
    /// Sends the answer to the request with this id, as it is written.
    fn answer(&self, id: &str, message: &str);

    /// Sends a request or a notification of a server. `unanswered` returns the ids of the requests that this server has not
    /// answered, the latest first.
    fn deliver(&self, message: &str, unanswered: &dyn Fn() -> Vec<String>);
}

/// What a gateway is made of.
pub(in crate::doors) struct Parts {
    pub(in crate::doors) servers: Vec<GatewayServer>,
    pub(in crate::doors) listing: ToolListing,
    /// `None` if Forebay's tools are among those of the servers.
    pub(in crate::doors) forebay: Option<ForebayTools>,
    pub(in crate::doors) client: Box<dyn Outbox>,
    pub(in crate::doors) wait_for_hang_up: HangUp,
}

/// The servers, and their client.
pub(in crate::doors) struct Gateway {
    members: Vec<Member>,
    routes: Routes,
    work: RunningWork,
    own_tools: OwnTools,
    forebay: Option<ForebayTools>,
    client: Box<dyn Outbox>,
    /// Whether the client has said that it is ready.
    is_initialized: Flag,
    /// Whether the client has ended its side.
    is_ending: Flag,
    /// The threads that pass on what the servers say.
    answering: Mutex<Vec<JoinHandle<()>>>,
}

impl Gateway {
    /// Starts all servers; one that does not start is logged and left out. It is an error if none does.
    pub(in crate::doors) fn start(parts: Parts) -> io::Result<Arc<Self>> {
        let Parts { servers, listing, forebay, client, wait_for_hang_up } = parts;
        let mut members = Vec::new();
        let mut outputs = Vec::new();
        let mut faults = Vec::new();
        for one in servers {
            let name = one.server.name().to_owned();
            match Member::start(one, Arc::clone(&wait_for_hang_up)) {
                Ok((member, output)) => {
                    members.push(member);
                    outputs.push(output);
                }
                Err(StartError::Io(error)) => return Err(error),
                Err(StartError::Run(error)) => {
                    let fault = format!("{name} does not start: {error}");
                    write_log(&fault);
                    faults.push(fault);
                }
            }
        }
        if members.is_empty() && !faults.is_empty() {
            return Err(io::Error::other(faults.join("; ")));
        }
        let gateway = Arc::new(Self {
            members,
            routes: Routes::default(),
            work: RunningWork::default(),
            own_tools: OwnTools::new(listing),
            forebay,
            client,
            is_initialized: Flag::default(),
            is_ending: Flag::default(),
            answering: Mutex::default(),
        });
        let mut answering = Vec::new();
        for (number, output) in outputs.into_iter().enumerate() {
            // A server that has ended reads no more, and then nothing more can come from its wrapper.
            let ended = Arc::clone(&gateway);
            super::spawn("end", move || {
                ended.members[number].wait();
                ended.members[number].close();
            })?;
            let gateway = Arc::clone(&gateway);
            let thread =
                super::spawn("answers", move || answers::pass_on(&gateway, number, output));
            answering.push(thread?);
        }
        *gateway.answering.lock().unwrap_or_else(PoisonError::into_inner) = answering;
        Ok(gateway)
    }

    /// Takes a message of the client.
    pub(in crate::doors) fn take(self: &Arc<Self>, message: &str) {
        requests::take(self, message);
    }

    /// Whether a tool is one that reads what references stand for, whatever servers have under that name.
    fn has_forebay_tool(&self, name: &str) -> bool {
        self.forebay.as_ref().is_some_and(|tools| tools.has(name))
    }

    /// Ends the client's side: servers are told by the end of their stdin.
    pub(in crate::doors) fn end_requests(&self) {
        self.is_ending.set(true);
        self.members.iter().for_each(Member::close);
    }

    /// Waits until all servers have ended and what they have said is passed on.
    pub(in crate::doors) fn wait(&self) {
        self.members.iter().for_each(Member::wait);
        let answering =
            std::mem::take(&mut *self.answering.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in answering {
            let _ = thread.join();
        }
    }
}

/// The client on stdio.
struct Stdout(Mutex<File>);

impl Stdout {
    fn write(&self, message: &str) {
        let mut client = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that is gone is noticed by the end of its requests.
        let _ = lines::write(&mut *client, format!("{message}\n").as_bytes());
    }
}

impl Outbox for Stdout {
    fn answer(&self, _: &str, message: &str) {
        self.write(message);
    }

    fn deliver(&self, message: &str, _: &dyn Fn() -> Vec<String>) {
        self.write(message);
    }
}

/// Serves on stdio until the client ends its side, or a signal comes.
pub(crate) fn serve(
    servers: Vec<GatewayServer>,
    listing: ToolListing,
    forebay: Option<ForebayTools>,
) -> io::Result<Ending> {
    let (stdin, signals) = (super::stdin()?, super::signals()?);
    let gateway = Gateway::start(Parts {
        servers,
        listing,
        forebay,
        client: Box::new(Stdout(Mutex::new(super::stdout()?))),
        wait_for_hang_up: Arc::new(super::wait_for_hang_up),
    })?;
    let (ended, endings) = mpsc::channel();
    let (signalled, by_signal) = (Arc::clone(&gateway), ended.clone());
    super::on_signal(signals, move |signal| {
        signalled.is_ending.set(true);
        signalled.members.iter().for_each(|one| one.stop(signal));
        // Nobody waits any more for an end that has come.
        let _ = by_signal.send(Ending::Signalled(signal));
    })?;
    let taking = Arc::clone(&gateway);
    super::spawn("requests", move || {
        requests::take_all(&taking, stdin);
        taking.end_requests();
        let _ = ended.send(Ending::Exited(0));
    })?;
    let ending = endings.recv().unwrap_or(Ending::Exited(0));
    gateway.wait();
    Ok(ending)
}

fn write_log(what: &str) {
    // Where agents look for what went wrong with a server.
    let _ = writeln!(io::stderr(), "forebay gateway: {what}");
}
