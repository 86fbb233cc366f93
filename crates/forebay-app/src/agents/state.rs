//! Detects which agents are set up.

use std::fmt;

use forebay_platforms::Platform;
use forebay_platforms::setup::{self, Level, Step};

use super::plan::read_settings;
use super::{Machine, machine, mend};

/// How much of an agent's setup is in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    pub level: Level,
    /// Files that lack Forebay although others have it.
    pub missing: Vec<String>,
    /// Programs of Forebay that are not as this version writes them.
    pub altered: Vec<String>,
    /// The configured program if it does not exist.
    pub lost_program: Option<String>,
}

/// The agents of a machine.
pub struct AgentReport {
    pub set_up: Vec<SetUp>,
    /// Installed agents that do not use Forebay.
    pub idle: Vec<&'static str>,
    pub(crate) faults: Vec<String>,
}

/// An agent that uses Forebay.
pub struct SetUp {
    pub agent: &'static Platform,
    found: Vec<Presence>,
}

impl AgentReport {
    pub fn new(machine: &Machine) -> Self {
        let mut report = Self { set_up: Vec::new(), idle: Vec::new(), faults: Vec::new() };
        for agent in forebay_platforms::PLATFORMS {
            let levels = [Level::User, Level::Project].into_iter();
            let found: Vec<Presence> =
                levels.filter_map(|level| presence(machine, agent, level)).collect();
            if found.is_empty() && machine.is_installed(agent) {
                report.idle.push(agent.name);
            }
            report.faults.extend(found.iter().filter_map(|one| one.fault(agent)));
            if !found.is_empty() {
                report.set_up.push(SetUp { agent, found });
            }
        }
        report
    }
}

impl fmt::Display for SetUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self.found.iter().map(ToString::to_string).collect();
        write!(f, "{} ({})", self.agent.name, levels.join(", "))
    }
}

impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(level_name(self.level))?;
        if self.missing.is_empty() {
            return Ok(());
        }
        write!(f, " without {}", self.missing.join(" and "))
    }
}

impl Presence {
    fn fault(&self, agent: &Platform) -> Option<String> {
        let lost = self.lost_program.as_ref()?;
        Some(format!(
            "{} starts {lost}, which does not exist: `forebay doctor --fix` mends it",
            agent.name
        ))
    }
}

const fn level_name(level: Level) -> &'static str {
    match level {
        Level::User => "user",
        Level::Project => "project",
    }
}

/// Returns how much of an agent's setup is in place at a level, or None if it is not set up.
pub fn presence(machine: &Machine, agent: &'static Platform, level: Level) -> Option<Presence> {
    if !is_set_up(machine, agent, level) {
        return None;
    }
    let mut presence =
        Presence { level, missing: Vec::new(), altered: Vec::new(), lost_program: None };
    let has_plugin = level == Level::User && mend::enabled_plugin(machine, agent).is_some();
    for step in setup::steps(agent, level) {
        let is_provided = has_plugin && step.is_in_plugin();
        let text = text_of(machine, &step);
        if is_expected(agent, level, &step)
            && !is_provided
            && !text.as_deref().is_some_and(|text| step.is_applied(text))
        {
            presence.missing.push(step.path.to_owned());
        }
        if text.as_deref().is_some_and(|text| step.is_applied(text) && step.is_altered(text)) {
            presence.altered.push(step.path.to_owned());
        }
        let program = text.and_then(|text| step.program_in(&text));
        if let Some(lost) = program.filter(|program| !machine::can_start(program)) {
            presence.lost_program = Some(lost);
        }
    }
    presence.missing.dedup();
    Some(presence)
}

/// Whether a set-up has this file; some users do without the others.
pub(super) fn is_expected(agent: &Platform, level: Level, step: &Step) -> bool {
    !step.is_status_line() && (!step.is_instructions() || agent.registers_server(level))
}

/// Whether an agent is set up at a level: a file that no other agent shares contains Forebay.
pub fn is_set_up(machine: &Machine, agent: &'static Platform, level: Level) -> bool {
    let is_own = |step: &Step| !is_shared(machine, step, level);
    setup::steps(agent, level).iter().any(|step| is_own(step) && is_applied(machine, step))
}

/// Whether any agent is set up at a level.
pub(super) fn is_any_set_up(machine: &Machine, level: Level) -> bool {
    forebay_platforms::PLATFORMS.iter().any(|agent| is_set_up(machine, agent, level))
}

/// Whether a step's file contains what the step adds.
pub(super) fn is_applied(machine: &Machine, step: &Step) -> bool {
    text_of(machine, step).is_some_and(|text| step.is_applied(&text))
}

/// Whether another agent's setup puts the same thing into the same file.
fn is_shared(machine: &Machine, step: &Step, level: Level) -> bool {
    let path = machine.file(step);
    forebay_platforms::PLATFORMS
        .iter()
        .filter(|other| other.id != step.platform.id)
        .flat_map(|other| setup::steps(other, level))
        .any(|its| its.is_shared_with(step) && machine.file(&its) == path)
}

fn text_of(machine: &Machine, step: &Step) -> Option<String> {
    read_settings(&machine.file(step)).ok().flatten()
}
