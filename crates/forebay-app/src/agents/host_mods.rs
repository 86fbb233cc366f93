//! Whether a host ran Forebay's mod or plugin in its last session and may run it now, and if not, why.
//!
//! Hooks mark a session with the host's version and with the load of the mod; `doctor` reads the marks.

use std::fmt;
use std::path::PathBuf;

use forebay_domain::session::is_subagent;
use forebay_platforms::platform::{HostMod, HostVersion};
use forebay_platforms::setup::Level;
use forebay_platforms::{PLATFORMS, Platform};
use forebay_policy::Origin;
use forebay_store::control_file;

use super::{Machine, presence};
use crate::settings::Compactor;
use crate::{App, AppError, rules};

const MOD_LOADED: &str = "mod loaded";
const MISSING: &str = "missing";
const VERSION_PREFIX: &str = "version ";
/// Sessions among which a host's last one is looked for.
const MAX_SESSIONS: usize = 50;

/// Records that the mod, or the plugin, runs in this session.
pub(crate) fn record_load(app: &App) -> Result<(), AppError> {
    app.stores.own()?.mark(&app.session, MOD_LOADED)?;
    Ok(())
}

/// Records that the plugin has reported the start of this session.
pub(crate) fn record_plugin(app: &App) -> Result<(), AppError> {
    app.stores.own()?.unmark(&plugin_key(&app.client), MISSING)?;
    record_load(app)
}

/// Records that this session goes on although the plugin has not reported its start.
pub(crate) fn record_missing_plugin(app: &App) -> Result<(), AppError> {
    let store = app.stores.own()?;
    if !store.is_marked(&app.session, MOD_LOADED)? {
        store.mark(&plugin_key(&app.client), MISSING)?;
    }
    Ok(())
}

/// What a missing plugin is marked under: its session may have nothing stored, and is in no list then.
fn plugin_key(agent: &str) -> String {
    format!("plugin of {agent}")
}

/// Records the version of the host that this session runs in.
pub(crate) fn record_version(app: &App, version: &str) -> Result<(), AppError> {
    app.stores.own()?.mark(&app.session, &format!("{VERSION_PREFIX}{version}"))?;
    Ok(())
}

/// What became of the mod or plugin in a host's last session, and whether the host may run it now.
pub(crate) struct ModReport {
    agent: &'static Platform,
    /// What the host calls it.
    pub(crate) noun: &'static str,
    /// The latest version that the session ran in, if it is known.
    version: Option<HostVersion>,
    /// The latest version that was tried, if the version is known.
    tried: Option<HostVersion>,
    outcome: Outcome,
    /// The administrator's file because of which the host does not let the mod compact, although the settings ask for it.
    own_compaction: Option<PathBuf>,
}

enum Outcome {
    Ran,
    /// It did not run in the last session, for this reason.
    DidNotRun(String),
    /// A setting forbids it now.
    Forbidden(String),
}

impl ModReport {
    /// Whether the mod works as the settings ask.
    pub(crate) fn is_good(&self) -> bool {
        matches!(self.outcome, Outcome::Ran) && self.own_compaction.is_none()
    }
}

impl fmt::Display for ModReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.agent.name)?;
        if let Some(version) = self.version {
            write!(f, " {version}")?;
            if let Some(tried) = self.tried.filter(|tried| version > *tried) {
                write!(f, " (newer than {tried}, the latest that was tried)")?;
            }
        }
        match &self.outcome {
            Outcome::Ran => write!(f, " ran it in the last session")?,
            Outcome::DidNotRun(why) => write!(f, " did not run it in the last session: {why}")?,
            Outcome::Forbidden(why) => write!(f, " does not run it: {why}")?,
        }
        match &self.own_compaction {
            Some(file) => write!(f, "; it compacts itself, because {} exists", file.display()),
            None => Ok(()),
        }
    }
}

/// The reports of all hosts that have mods or plugins and either a session in this project or a setting that forbids them.
pub(crate) fn reports(app: &App, machine: &Machine) -> Result<Vec<ModReport>, AppError> {
    let mut reports = Vec::new();
    for agent in PLATFORMS {
        if agent.host_mod.is_none() && agent.plugin_diagnosis.is_none() {
            continue;
        }
        let last = LastSession::find(app, agent)?;
        reports.extend(match (agent.host_mod, agent.plugin_diagnosis) {
            (Some(host_mod), _) => report_mod(app, machine, agent, host_mod, last),
            (None, diagnosis) => {
                report_plugin(app, machine, agent, last, diagnosis.unwrap_or_default())?
            }
        });
    }
    Ok(reports)
}

fn report_mod(
    app: &App,
    machine: &Machine,
    agent: &'static Platform,
    host_mod: &HostMod,
    last: Option<LastSession>,
) -> Option<ModReport> {
    let version = last.as_ref().and_then(|last| last.version);
    let outcome = match (switch(app, agent, host_mod), last) {
        (Some(switch), last) if last.is_some() || is_set_up(machine, agent) => {
            Outcome::Forbidden(switch)
        }
        (_, None) => return None,
        (_, Some(last)) if last.ran_mod => Outcome::Ran,
        _ => Outcome::DidNotRun(obstacle(machine, agent, host_mod, version)),
    };
    let own_compaction = own_compaction(app, agent, host_mod);
    let tried = Some(host_mod.tried);
    Some(ModReport { agent, noun: "mod", version, tried, outcome, own_compaction })
}

fn report_plugin(
    app: &App,
    machine: &Machine,
    agent: &'static Platform,
    last: Option<LastSession>,
    diagnosis: &str,
) -> Result<Option<ModReport>, AppError> {
    let is_missing = app.stores.own()?.is_marked(&plugin_key(agent.id), MISSING)?;
    let outcome = if is_missing {
        let fault = file_fault(machine, agent);
        Outcome::DidNotRun(fault.unwrap_or_else(|| diagnosis.to_owned()))
    } else if last.as_ref().is_some_and(|last| last.ran_mod) {
        Outcome::Ran
    } else {
        return Ok(None);
    };
    let version = last.and_then(|last| last.version);
    let (noun, tried, own_compaction) = ("plugin", None, None);
    Ok(Some(ModReport { agent, noun, version, tried, outcome, own_compaction }))
}

/// What hooks recorded of a host's last session in this project.
struct LastSession {
    version: Option<HostVersion>,
    ran_mod: bool,
}

impl LastSession {
    fn find(app: &App, agent: &Platform) -> Result<Option<Self>, AppError> {
        let store = app.stores.own()?;
        let sessions = store.sessions(MAX_SESSIONS)?;
        let is_its = |key: &str, client: &str| client == agent.id && !is_subagent(key);
        let last = sessions.iter().find(|session| is_its(&session.key, &session.client));
        let Some(last) = last else { return Ok(None) };
        let marks = store.marks(&last.key)?;
        let versions = marks.iter().filter_map(|mark| mark.strip_prefix(VERSION_PREFIX));
        let version = versions.filter_map(HostVersion::parse).max();
        Ok(Some(Self { version, ran_mod: marks.iter().any(|mark| mark == MOD_LOADED) }))
    }
}

/// Why a host did not run the mod, as far as it can be told.
fn obstacle(
    machine: &Machine,
    agent: &'static Platform,
    host_mod: &HostMod,
    version: Option<HostVersion>,
) -> String {
    if version.is_some_and(|version| version < host_mod.since) {
        return format!("mods need {} or later", host_mod.since);
    }
    file_fault(machine, agent).unwrap_or_else(|| host_mod.diagnosis.to_owned())
}

/// What is wrong with the files that `forebay init` wrote.
fn file_fault(machine: &Machine, agent: &'static Platform) -> Option<String> {
    let levels = [Level::User, Level::Project].into_iter();
    let found: Vec<_> = levels.filter_map(|level| presence(machine, agent, level)).collect();
    if found.iter().any(|found| found.level == Level::User && !found.missing.is_empty()) {
        return Some(format!("`forebay init {}` installs it", agent.id));
    }
    let altered = found.iter().find_map(|found| found.altered.first())?;
    Some(format!(
        "{altered} was changed, or is of another version: `forebay init {}` writes it again",
        agent.id
    ))
}

fn is_set_up(machine: &Machine, agent: &'static Platform) -> bool {
    [Level::User, Level::Project].into_iter().any(|level| super::is_set_up(machine, agent, level))
}

/// The setting that forbids the mod, and its file.
fn switch(app: &App, agent: &Platform, host_mod: &HostMod) -> Option<String> {
    rules::files_of(app, agent).iter().find_map(|(origin, path)| {
        let text = control_file::read(path).ok()??;
        let name = host_mod.switch_in(&text, *origin == Origin::Managed)?;
        Some(format!("`{name}` in {} forbids it", path.display()))
    })
}

/// The file because of which a host compacts itself although the settings leave that to the mod.
fn own_compaction(app: &App, agent: &Platform, host_mod: &HostMod) -> Option<PathBuf> {
    if !host_mod.is_bypassed_if_managed || app.settings.hooks.compact != Compactor::Forebay {
        return None;
    }
    let files = rules::files_of(app, agent).into_iter();
    let mut managed = files.filter(|(origin, _)| *origin == Origin::Managed);
    managed.find(|(_, path)| path.exists()).map(|(_, path)| path)
}
