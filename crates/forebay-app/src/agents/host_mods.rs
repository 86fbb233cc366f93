//! Whether a host ran Forebay's mod in its last session and may run it now, and if not, why.
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
const VERSION_PREFIX: &str = "version ";
/// Sessions among which a host's last one is looked for.
const MAX_SESSIONS: usize = 50;

/// Records that the mod runs in this session.
pub(crate) fn record_load(app: &App) -> Result<(), AppError> {
    app.stores.own()?.mark(&app.session, MOD_LOADED)?;
    Ok(())
}

/// Records the version of the host that this session runs in.
pub(crate) fn record_version(app: &App, version: &str) -> Result<(), AppError> {
    app.stores.own()?.mark(&app.session, &format!("{VERSION_PREFIX}{version}"))?;
    Ok(())
}

/// What became of the mod in a host's last session, and whether the host may run it now.
pub(crate) struct ModReport {
    agent: &'static Platform,
    /// The latest version that the session ran in, if it is known.
    version: Option<HostVersion>,
    /// The latest version that was tried.
    tried: HostVersion,
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
            if version > self.tried {
                write!(f, " (newer than {}, the latest that was tried)", self.tried)?;
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

/// The reports of all hosts that have mods and either a session in this project or a setting that forbids them.
pub(crate) fn reports(app: &App, machine: &Machine) -> Result<Vec<ModReport>, AppError> {
    let mut reports = Vec::new();
    for agent in PLATFORMS {
        let Some(host_mod) = agent.host_mod else { continue };
        let last = LastSession::find(app, agent)?;
        let version = last.as_ref().and_then(|last| last.version);
        let outcome = match (switch(app, agent, host_mod), last) {
            (Some(switch), last) if last.is_some() || is_set_up(machine, agent) => {
                Outcome::Forbidden(switch)
            }
            (_, None) => continue,
            (_, Some(last)) if last.ran_mod => Outcome::Ran,
            _ => Outcome::DidNotRun(obstacle(machine, agent, host_mod, version)),
        };
        let own_compaction = own_compaction(app, agent, host_mod);
        reports.push(ModReport { agent, version, tried: host_mod.tried, outcome, own_compaction });
    }
    Ok(reports)
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
    let set_up = presence(machine, agent, Level::User);
    if set_up.is_some_and(|found| !found.missing.is_empty()) {
        return format!("`forebay init {}` installs it", agent.id);
    }
    host_mod.diagnosis.to_owned()
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
