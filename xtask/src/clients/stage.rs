//! A home and a project for one agent, and the agent started in them.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::hosts::Host;
use super::model::{Exchange, Model};
use crate::workspace::Metadata;
use crate::{say, shell, workspace};

/// What one turn of a conversation takes at the very most.
const PATIENCE: Duration = Duration::from_mins(3);
/// The rules of the project, in the form that holds for every agent.
const RULES: &str = r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(touch:*)"]}}"#;

/// The folder with everything npm installed.
pub(super) struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// Installs the newest release of each agent, and says which that is.
    pub(super) fn by_npm(hosts: &[&Host]) -> Result<Self> {
        let folder = Metadata::read()?.target_directory.join("clients");
        fs::create_dir_all(&folder)?;
        let installed = Self { folder };
        let mut npm = shell::command("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        npm.arg(&installed.folder)
            .args(hosts.iter().map(|host| format!("{}@latest", host.package)));
        say::line("installing the agents with npm");
        shell::output(npm.current_dir(&installed.folder)).context("npm installs the agents")?;
        for host in hosts.iter().filter(|host| !host.is_plugin) {
            let version = shell::text(shell::command(installed.program(host)).arg("--version"));
            let version = version.with_context(|| format!("{} does not start", host.agent))?;
            say::line(format!(
                "     {:<12} {}",
                host.agent,
                version.lines().next().unwrap_or_default()
            ));
        }
        Ok(installed)
    }

    fn program(&self, host: &Host) -> PathBuf {
        self.folder.join("node_modules/.bin").join(host.program)
    }
}

/// One agent's machine.
pub(super) struct Stage<'a> {
    pub(super) host: &'static Host,
    installed: &'a Installed,
    forebay: &'a Path,
    root: PathBuf,
    /// Deletes the folder in the end, unless it is to be kept.
    _temporary: Option<TempDir>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(
        host: &'static Host,
        installed: &'a Installed,
        forebay: &'a Path,
        keep: Option<&Path>,
    ) -> Result<Self> {
        let (root, temporary) = if let Some(folder) = keep {
            (folder.join(host.label), None)
        } else {
            let folder = tempfile::tempdir()?;
            (folder.path().to_owned(), Some(folder))
        };
        let stage = Self { host, installed, forebay, root, _temporary: temporary };
        for folder in [stage.home(), stage.project().join(".git"), stage.project().join(".claude")]
        {
            fs::create_dir_all(folder)?;
        }
        fs::write(stage.project().join(".git/HEAD"), "ref: refs/heads/main\n")?;
        fs::write(stage.project().join(".claude/settings.json"), RULES)?;
        Ok(stage)
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// What a user has, and Forebay beside it.
    pub(super) fn set_up(&self, model: &Model) -> Result<()> {
        for (path, text) in self.host.files {
            let path = self.home().join(path);
            fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
            fs::write(path, self.filled(text, model)?)?;
        }
        if self.host.is_plugin {
            return Ok(());
        }
        let mut init = self.command(self.forebay);
        shell::output(init.args(["init", self.host.agent, "--user", "--yes"]))?;
        Ok(())
    }

    /// Says something to the agent and waits until it is done.
    pub(super) fn converse(&self, model: &Model, prompt: &str, is_resumed: bool) -> Result<()> {
        let mut agent = self.command(&self.installed.program(self.host));
        for (name, value) in self.host.env {
            agent.env(name, self.filled(value, model)?);
        }
        let before = if is_resumed { self.host.resume } else { self.host.start };
        for argument in before {
            agent.arg(self.filled(argument, model)?);
        }
        agent.arg(prompt).args(self.host.end);
        let log = File::options().create(true).append(true).open(self.log())?;
        agent.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        let child = agent.spawn().with_context(|| format!("{} does not start", self.host.agent))?;
        let group = child.id();
        let is_in_time = ends_in_time(child);
        end_group(group);
        ensure!(is_in_time, "{} took too long; {}", self.host.agent, self.last_words());
        Ok(())
    }

    /// What Forebay knows of the project afterwards.
    pub(super) fn history(&self) -> Result<String> {
        shell::text(self.command(self.forebay).args(["history", "--all"]))
    }

    /// The end of what the agent printed.
    pub(super) fn last_words(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(15).collect();
        format!("its last words:\n{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }

    /// Leaves what the model heard beside the home, for whoever wants to look.
    pub(super) fn keep_requests(&self, name: &str, exchanges: &[Exchange]) -> Result<()> {
        for (number, exchange) in exchanges.iter().enumerate() {
            let file = self.root.join(format!("{name}-{number}.txt"));
            let Exchange { path, asked, said } = exchange;
            fs::write(file, format!("{path}\n{}\n\n{said}\n", asked.whole))?;
        }
        Ok(())
    }

    fn log(&self) -> PathBuf {
        self.root.join("agent.log")
    }

    /// A program that knows nothing but this home.
    fn command(&self, program: &Path) -> Command {
        let mut command = shell::command(program);
        let own = self.forebay.parent().unwrap_or(Path::new("/")).to_owned();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others)));
        command
            .env_clear()
            .env("PATH", path.unwrap_or(others))
            .env("HOME", self.home())
            .env("FOREBAY_HOME", self.root.join("data"))
            .current_dir(self.project());
        command
    }

    fn filled(&self, text: &str, model: &Model) -> Result<String> {
        let probe = std::env::current_exe()?;
        Ok(text
            .replace("{url}", &model.url())
            .replace("{plugin}", &workspace::root().join("plugins/claude-code").to_string_lossy())
            .replace("{probe}", &probe.to_string_lossy())
            .replace("{project}", &self.project().to_string_lossy())
            .replace("{home}", &self.home().to_string_lossy()))
    }
}

fn ends_in_time(mut child: Child) -> bool {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait()));
    receiver.recv_timeout(PATIENCE).is_ok()
}

/// Ends whatever an agent left behind: it was started as a group of its own.
fn end_group(group: u32) {
    let _ = shell::works(shell::command("kill").args(["-KILL", "--", &format!("-{group}")]));
}
