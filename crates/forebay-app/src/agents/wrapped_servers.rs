//! The MCP servers that agents start, and which of them are started through Forebay.

use forebay_platforms::Platform;
use forebay_platforms::setup::{self, Level, ServerKind, ServerNames, Step};

use super::Machine;
use super::plan::read_settings;

/// A server of an agent.
struct AgentServer {
    agent: &'static str,
    name: String,
    kind: ServerKind,
}

impl AgentServer {
    /// Says why it stays as it is, if it does.
    fn remark(&self) -> Option<String> {
        let Self { agent, name, kind } = self;
        let why = match kind {
            ServerKind::Remote => {
                "is reached at a URL without a header, and the agent may have to sign in: it stays as it is. \
                 If the server takes a token, add it to the entry as a header and repeat this"
            }
            ServerKind::SecretAddress => {
                "has a password or a token in its URL, which other users would see in the list of processes: it stays as \
                 it is. If the server takes the token in a header, move it there and repeat this"
            }
            ServerKind::Program | ServerKind::Wrapped | ServerKind::Address => return None,
        };
        Some(format!("{name} ({agent}) {why}"))
    }
}

/// Whether some server of an agent is started through Forebay.
pub fn has_wrapped_servers(machine: &Machine, agent: &'static Platform, level: Level) -> bool {
    servers(machine, agent, level).iter().any(|server| server.kind == ServerKind::Wrapped)
}

/// Says which of the wanted servers stay as they are, and why.
pub fn remarks_on_servers(
    machine: &Machine,
    agents: &[&'static Platform],
    wanted: &ServerNames,
) -> Vec<String> {
    let all: Vec<AgentServer> =
        agents.iter().flat_map(|agent| servers(machine, agent, Level::User)).collect();
    let named = all.iter().filter(|server| wanted.contain(&server.name));
    let mut remarks: Vec<String> = named.filter_map(AgentServer::remark).collect();
    if let ServerNames::These(names) = wanted {
        let is_missing = |name: &&String| !all.iter().any(|server| server.name == **name);
        let missing = names.iter().filter(is_missing);
        remarks.extend(missing.map(|name| format!("no agent has an MCP server named {name}")));
    }
    remarks
}

/// The servers in the settings of an agent; none in a file that cannot be read.
fn servers(machine: &Machine, agent: &'static Platform, level: Level) -> Vec<AgentServer> {
    let steps = setup::steps(agent, level).into_iter().filter(Step::is_server);
    let found = steps.filter_map(|step| {
        let text = read_settings(&machine.file(&step)).ok().flatten()?;
        step.servers(&text).ok()
    });
    found
        .flatten()
        .map(|server| AgentServer { agent: agent.name, name: server.name, kind: server.kind })
        .collect()
}
