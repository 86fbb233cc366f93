//! Whether a host ran Forebay's mod in its last session, and if not, why.
//!
//! Hooks mark a session with the host's version and with the load of the mod; `doctor` reads the marks.

use std::fmt;

use forebay_domain::session::is_subagent;
use forebay_platforms::platform::{HostMod, HostVersion};
use forebay_platforms::setup::Level;
use forebay_platforms::{PLATFORMS, Platform};
use forebay_store::control_file;

use super::{Machine, presence};
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

/// What became of the mod in a host's last session.
pub(crate) struct ModReport {
    agent: &'static Platform,
    /// The latest version that the session ran in, if it is known.
    version: Option<HostVersion>,
    /// Why the mod did not run.
    pub(crate) obstacle: Option<String>,
}

impl fmt::Display for ModReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.map(|version| format!(" {version}")).unwrap_or_default();
        let agent = format!("{}{version}", self.agent.name);
        match &self.obstacle {
            None => write!(f, "{agent} ran it in the last session"),
            Some(why) => write!(f, "{agent} did not run it in the last session: {why}"),
        }
    }
}

/// The reports of all hosts that have mods and a session in this project.
pub(crate) fn reports(app: &App, machine: &Machine) -> Result<Vec<ModReport>, AppError> {
    let store = app.stores.own()?;
    let sessions = store.sessions(MAX_SESSIONS)?;
    let mut reports = Vec::new();
    for agent in PLATFORMS {
        let Some(host_mod) = agent.host_mod else { continue };
        let is_its = |key: &str, client: &str| client == agent.id && !is_subagent(key);
        let last = sessions.iter().find(|session| is_its(&session.key, &session.client));
        let Some(last) = last else { continue };
        let marks = store.marks(&last.key)?;
        let versions = marks.iter().filter_map(|mark| mark.strip_prefix(VERSION_PREFIX));
        let version = versions.filter_map(HostVersion::parse).max();
        let is_loaded = marks.iter().any(|mark| mark == MOD_LOADED);
        let obstacle = (!is_loaded).then(|| obstacle(app, machine, agent, host_mod, version));
        reports.push(ModReport { agent, version, obstacle });
    }
    Ok(reports)
}

/// Why a host did not run the mod, as far as it can be told.
fn obstacle(
    app: &App,
    machine: &Machine,
    agent: &'static Platform,
    host_mod: &HostMod,
    version: Option<HostVersion>,
) -> String {
    if version.is_some_and(|version| version < host_mod.since) {
        return format!("mods need {} or later", host_mod.since);
    }
    if let Some(switch) = switch(app, agent, host_mod) {
        return switch;
    }
    let set_up = presence(machine, agent, Level::User);
    if set_up.is_some_and(|found| !found.missing.is_empty()) {
        return format!("`forebay init {}` installs it", agent.id);
    }
    host_mod.diagnosis.to_owned()
}

/// The setting that forbids the mod, and its file.
fn switch(app: &App, agent: &Platform, host_mod: &HostMod) -> Option<String> {
    rules::files_of(app, agent).iter().find_map(|path| {
        let text = control_file::read(path).ok()??;
        let name = host_mod.switch_in(&text)?;
        Some(format!("`{name}` in {} forbids it", path.display()))
    })
}
