//! Several MCP servers as one: `forebay gateway`.
//!
//! Each server runs behind a wrapper of its own (`upstream`), as with `forebay wrap`. The gateway gives the client one list of
//! their tools, prompts and resources, and sends each request to the server that it is about. Requests keep their ids and
//! answers pass as they are; only names in lists and calls get or lose the prefix of their server.
//!
//! - `member`: a server, and the requests of the gateway's own; `merge`: one greeting and one list of several;
//! - `routes`: which server a name, an address or a request belongs to;
//! - `requests`: from the client; `answers`: from a server.

mod answers;
mod member;
mod merge;
mod requests;
mod routes;

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use forebay_app::wrap::WrappedServer;
use forebay_app::wrap::tool_list::ToolListing;
use forebay_domain::Ending;

use self::member::Member;
use self::routes::Routes;
use super::own_tools::OwnTools;
use super::session::Flag;
use super::upstream::Upstream;
use super::{StartError, lines};

/// A server of the list.
pub(crate) struct GatewayServer {
    /// In front of the names of its tools and prompts.
    pub(crate) prefix: String,
    pub(crate) server: WrappedServer,
    pub(crate) upstream: Upstream,
}

/// The servers, and their client.
pub(super) struct Gateway {
    members: Vec<Member>,
    routes: Routes,
    own_tools: OwnTools,
    client: Mutex<File>,
    /// Whether the client has ended its side.
    is_ending: Flag,
    /// The threads that pass on what the servers say.
    answering: Mutex<Vec<JoinHandle<()>>>,
}

impl Gateway {
    /// Starts all servers; one that does not start is logged and left out.
    fn start(
        servers: Vec<GatewayServer>,
        listing: ToolListing,
        client: File,
        wait_for_hang_up: fn() -> io::Result<()>,
    ) -> io::Result<Arc<Self>> {
        let mut members = Vec::new();
        let mut outputs = Vec::new();
        for one in servers {
            let name = one.server.name().to_owned();
            match Member::start(one, wait_for_hang_up) {
                Ok((member, output)) => {
                    members.push(member);
                    outputs.push(output);
                }
                Err(StartError::Io(error)) => return Err(error),
                Err(StartError::Run(error)) => {
                    write_log(&format!("{name} does not start: {error}"));
                }
            }
        }
        let gateway = Arc::new(Self {
            members,
            routes: Routes::default(),
            own_tools: OwnTools::new(listing),
            client: Mutex::new(client),
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

    /// Waits until all servers have ended and what they have said is passed on.
    fn wait(&self) {
        self.members.iter().for_each(Member::wait);
        let answering =
            std::mem::take(&mut *self.answering.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in answering {
            let _ = thread.join();
        }
    }

    /// Sends a message to the client.
    fn to_client(&self, text: &str) {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that is gone is noticed by the end of its requests.
        let _ = lines::write(&mut *client, format!("{text}\n").as_bytes());
    }
}

/// Serves on stdio until the client ends its side, or a signal comes.
pub(crate) fn serve(servers: Vec<GatewayServer>, listing: ToolListing) -> io::Result<Ending> {
    let stdin = super::stdin()?;
    let gateway = Gateway::start(servers, listing, super::stdout()?, super::wait_for_hang_up)?;
    let (ended, endings) = mpsc::channel();
    let (signalled, by_signal) = (Arc::clone(&gateway), ended.clone());
    super::on_signal(move |signal| {
        signalled.is_ending.set(true);
        signalled.members.iter().for_each(|one| one.stop(signal));
        // Nobody waits any more for an end that has come.
        let _ = by_signal.send(Ending::Signalled(signal));
    })?;
    let taking = Arc::clone(&gateway);
    super::spawn("requests", move || {
        requests::take_all(&taking, stdin);
        taking.is_ending.set(true);
        taking.members.iter().for_each(Member::close);
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
