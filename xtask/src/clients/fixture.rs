//! What every scenario uses: the released agents, the program under test, and a place for their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::agent_env::AgentEnv;
use super::hosts::Host;
use crate::clean_system::CleanSystem;
use crate::workspace::Metadata;
use crate::{console, process, workspace};

pub(super) struct Fixture {
    /// Where npm installed the agents.
    agents: PathBuf,
    pub(super) forebay: PathBuf,
    /// Where homes and projects are kept; otherwise they are temporary.
    keep: Option<PathBuf>,
    /// Where agents and Forebay run; otherwise on this machine.
    system: Option<CleanSystem>,
    /// This program, which is also another MCP server ([`super::probe`]).
    pub(super) probe: PathBuf,
}

impl Fixture {
    /// Installs the newest release of each agent, and prints its version.
    pub(super) fn new(hosts: &[&Host], forebay: PathBuf, keep: Option<PathBuf>) -> Result<Self> {
        let agents = Metadata::read()?.target_directory.join("clients");
        fs::create_dir_all(&agents)?;
        let mut npm = process::command("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        npm.arg(&agents).args(hosts.iter().map(|host| format!("{}@latest", host.package)));
        console::line("installing the agents with npm");
        process::stdout(npm.current_dir(&agents)).context("npm cannot install the agents")?;
        let probe = std::env::current_exe()?;
        let fixture = Self { agents, forebay, keep, system: None, probe };
        for host in hosts.iter().filter(|host| !host.is_plugin) {
            console::line(format!("     {:<12} {}", host.agent, fixture.version(host)?));
        }
        Ok(fixture)
    }

    /// The agents and Forebay run in a system.
    pub(super) fn in_system(self, system: &CleanSystem) -> Self {
        Self { system: Some(system.clone()), ..self }
    }

    /// A command that starts a program where the agents run; it sees `root`.
    pub(super) fn command(&self, program: &Path, root: &Path, folder: &Path) -> Command {
        let mut command = match &self.system {
            Some(system) => {
                let plugins = workspace::root().join("plugins");
                system.sharing(&[root, &self.agents, &self.probe, &plugins], folder, program)
            }
            None => process::command(program),
        };
        command.current_dir(folder);
        command
    }

    /// An agent with an empty home folder and a project; `name` tells its folder from those of other scenarios.
    pub(super) fn env(&self, host: &'static Host, name: &str) -> Result<AgentEnv<'_>> {
        let (root, temporary) = self.folder(&format!("{} {name}", host.label))?;
        AgentEnv::new(self, host, root, temporary)
    }

    pub(super) fn program(&self, host: &Host) -> PathBuf {
        self.agents.join("node_modules/.bin").join(host.program)
    }

    /// The folder of the program, for the PATH.
    pub(super) fn forebay_folder(&self) -> PathBuf {
        self.forebay.parent().unwrap_or(Path::new("/")).to_owned()
    }

    fn version(&self, host: &Host) -> Result<String> {
        let version = process::stdout_text(process::command(self.program(host)).arg("--version"));
        let version = version.with_context(|| format!("cannot start {}", host.agent))?;
        Ok(version.lines().next().unwrap_or_default().to_owned())
    }

    fn folder(&self, name: &str) -> Result<(PathBuf, Option<TempDir>)> {
        if let Some(keep) = &self.keep {
            return Ok((keep.join(name), None));
        }
        let folder = tempfile::tempdir()?;
        Ok((folder.path().to_owned(), Some(folder)))
    }
}
