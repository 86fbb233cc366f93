//! Which agents `forebay init` sets up: those that are named, or those that it finds.

use forebay_app::AppError;
use forebay_app::agents::{self, Level, Machine, Platform};
use forebay_text::spelling;

/// The chosen agents, and remarks on others.
pub(super) struct Chosen {
    pub(super) agents: Vec<&'static Platform>,
    pub(super) remarks: Vec<String>,
}

impl Chosen {
    /// The named agents.
    pub(super) fn named(names: &[String], level: Level) -> Result<Self, AppError> {
        let mut chosen = Self { agents: Vec::new(), remarks: Vec::new() };
        for name in names {
            let named = agents::find_with_harnesses(name).ok_or_else(|| unknown(name))?;
            chosen.remarks.extend(named.first().and_then(|host| remark_on_harnesses(host)));
            for agent in named {
                if !chosen.agents.iter().any(|other| other.id == agent.id) {
                    chosen.agents.push(agent);
                }
            }
        }
        chosen.drop_agents_without(level);
        Ok(chosen)
    }

    /// The agents that are installed, or have left a trace in the project.
    pub(super) fn found(machine: &Machine, level: Level) -> Result<Self, AppError> {
        let mut chosen = Self { agents: Vec::new(), remarks: Vec::new() };
        for agent in agents::PLATFORMS {
            let trace = machine.trace_in_project(agent);
            if !machine.is_installed(agent) {
                let Some(trace) = trace else { continue };
                chosen.remarks.push(format!(
                    "{} is not installed here, but this project has {trace}",
                    agent.name
                ));
            }
            match remark_on_other_level(machine, agent, level) {
                Some(remark) => chosen.remarks.push(remark),
                None => chosen.agents.push(agent),
            }
        }
        chosen.drop_agents_without(level);
        if chosen.agents.is_empty() && chosen.remarks.is_empty() {
            return Err(AppError::not_found(
                "no agent found: none of their programs is on the PATH, none of their folders exists",
                format!("name one: forebay init {}", agents::PLATFORMS[0].id),
            ));
        }
        Ok(chosen)
    }

    /// The agents that are set up.
    pub(super) fn set_up(machine: &Machine, level: Level) -> Result<Self, AppError> {
        let set_up_at = |level: Level| -> Vec<&'static Platform> {
            let has_forebay = |agent: &&'static Platform| {
                agents::is_set_up(machine, agent, level)
                    || agents::has_wrapped_servers(machine, agent, level)
            };
            agents::PLATFORMS.iter().copied().filter(has_forebay).collect()
        };
        let (other, option, place) = match level {
            Level::User => (Level::Project, "--project", "this project's files"),
            Level::Project => (Level::User, "--user", "your own settings"),
        };
        let is_elsewhere = !set_up_at(other).is_empty();
        let hint = format!("`forebay init --undo {option}` removes it from {place}");
        let agents = set_up_at(level);
        if agents.is_empty() {
            let hint = if is_elsewhere { hint } else { format!("{option} is for {place}") };
            return Err(AppError::not_found("no agent has Forebay in these settings", hint));
        }
        Ok(Self { agents, remarks: is_elsewhere.then_some(hint).into_iter().collect() })
    }

    fn drop_agents_without(&mut self, level: Level) {
        let (name, option) = match level {
            Level::User => ("user", "--project"),
            Level::Project => ("project", "--user"),
        };
        let has_files = |agent: &&Platform| agent.files.iter().any(|file| file.level == level);
        for agent in self.agents.iter().filter(|agent| !has_files(agent)) {
            self.remarks.push(format!("{} has no {name} settings: use {option}", agent.name));
        }
        self.agents.retain(has_files);
        for agent in self.agents.iter().filter(|agent| !agent.registers_server(level)) {
            self.remarks.push(format!(
                "{} supports MCP servers only in your own settings: also use --user",
                agent.name
            ));
        }
    }
}

/// The remark on agents that run in a host and have their own settings.
fn remark_on_harnesses(host: &Platform) -> Option<String> {
    let others = host.harnesses.iter().filter(|harness| !harness.is_default);
    let names: Vec<String> = others.map(|other| format!("{}:{}", host.id, other.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "other agents in {} are set up by name: forebay init {}",
            host.name,
            names.join(" ")
        )
    })
}

/// The remark on an agent that has Forebay at the other level only: its hooks would run twice.
fn remark_on_other_level(
    machine: &Machine,
    agent: &'static Platform,
    level: Level,
) -> Option<String> {
    let (other, place, here) = match level {
        Level::User => (Level::Project, "this project's files", "for all projects"),
        Level::Project => (Level::User, "your own settings", "here"),
    };
    let is_set_up = |level| agents::is_set_up(machine, agent, level);
    (!is_set_up(level) && is_set_up(other)).then(|| {
        format!(
            "{} already has Forebay in {place}; name it to set it up {here} as well",
            agent.name
        )
    })
}

/// Every agent's id, for help and errors.
pub(super) fn agent_ids() -> String {
    agents::PLATFORMS.iter().map(|agent| agent.id).collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str) -> AppError {
    let ids = agents::PLATFORMS.iter().map(|agent| agent.id);
    let hint = match spelling::nearest(name, ids) {
        Some(id) => format!("did you mean {id}? Agents: {}", agent_ids()),
        None => format!("agents: {}", agent_ids()),
    };
    AppError::bad_input(format!("unknown agent `{name}`"), hint)
}
