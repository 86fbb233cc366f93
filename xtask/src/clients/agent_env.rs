//! A home folder and a project for one agent, and the agent's process.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{Exchange, ScriptedModel};
use crate::{process, workspace};

/// Upper bound for one turn of a conversation.
const TURN_TIMEOUT: Duration = Duration::from_mins(3);
/// The project's permission rules, in the format that every agent's setup reads.
const RULES: &str = r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(touch:*)"]}}"#;

/// Runs the words after the first with the folder `etc` in the first laid over `/etc`, for this process only.
const LAID_OVER_ETC: &str = "mount -t overlay overlay -o \"lowerdir=/etc,upperdir=$1/etc,workdir=$1/work\" /etc \
                             && shift && exec \"$@\"";

/// One agent with its home folder and project.
pub(super) struct AgentEnv<'a> {
    pub(super) host: &'static Host,
    fixture: &'a Fixture,
    root: PathBuf,
    /// Whether the agent can start Forebay; otherwise only the project's files name it.
    has_forebay: bool,
    /// Variables of the agent, besides those of its host.
    variables: Vec<(&'static str, &'static str)>,
    /// A folder with the organization's settings, laid over `/etc`.
    managed: Option<PathBuf>,
    /// Deletes the folder when dropped, unless it is kept.
    _temporary: Option<TempDir>,
}

impl<'a> AgentEnv<'a> {
    pub(super) fn new(
        fixture: &'a Fixture,
        host: &'static Host,
        root: PathBuf,
        temporary: Option<TempDir>,
    ) -> Result<Self> {
        let env = Self {
            host,
            fixture,
            root,
            has_forebay: true,
            variables: Vec::new(),
            managed: None,
            _temporary: temporary,
        };
        for folder in [env.home(), env.project().join(".git"), env.project().join(".claude")] {
            fs::create_dir_all(folder)?;
        }
        fs::write(env.project().join(".git/HEAD"), "ref: refs/heads/main\n")?;
        fs::write(env.project().join(".claude/settings.json"), RULES)?;
        Ok(env)
    }

    /// The same agent of a user who has the project's files, and not Forebay.
    pub(super) fn without_forebay(self) -> Self {
        Self { has_forebay: false, ..self }
    }

    /// Sets an environment variable of the agent.
    pub(super) fn set_variable(&mut self, name: &'static str, value: &'static str) {
        self.variables.push((name, value));
    }

    /// The folder with the home folder and the project.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Writes the user's own settings, then runs `forebay init`.
    pub(super) fn set_up(&self, model: &ScriptedModel) -> Result<()> {
        self.write_files(model)?;
        if self.host.is_plugin {
            return Ok(());
        }
        self.init(&[])
    }

    /// Writes the user's own settings.
    pub(super) fn write_files(&self, model: &ScriptedModel) -> Result<()> {
        for (path, text) in self.host.files {
            let path = self.home().join(path);
            fs::create_dir_all(path.parent().context("a file has a parent folder")?)?;
            fs::write(path, self.fill_placeholders(text, model))?;
        }
        Ok(())
    }

    /// Runs `forebay init` for this agent, at the level that the user would choose.
    pub(super) fn init(&self, options: &[&str]) -> Result<()> {
        let level = if self.has_forebay { "--user" } else { "--project" };
        let mut init = self.command(&self.fixture.forebay);
        process::stdout(init.args(["init", self.host.agent, level, "--yes"]).args(options))?;
        Ok(())
    }

    /// Undoes `forebay init`; returns what it prints.
    pub(super) fn undo(&self) -> Result<String> {
        let mut undo = self.command(&self.fixture.forebay);
        process::stdout_text(undo.args(["init", self.host.agent, "--user", "--undo", "--yes"]))
    }

    /// Sends a prompt to the agent and waits until it exits.
    pub(super) fn prompt(
        &self,
        model: &ScriptedModel,
        prompt: &str,
        is_resumed: bool,
    ) -> Result<()> {
        let mut agent = self.agent();
        if !self.has_forebay {
            agent.env("PATH", path_without_forebay()?);
        }
        for (name, value) in self.host.env.iter().chain(&self.variables) {
            agent.env(name, self.fill_placeholders(value, model));
        }
        let arguments = if is_resumed { self.host.resume } else { self.host.start };
        for argument in arguments {
            agent.arg(self.fill_placeholders(argument, model));
        }
        agent.arg(prompt).args(self.host.end);
        let log = File::options().create(true).append(true).open(self.log())?;
        agent.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        let child = agent.spawn().with_context(|| format!("cannot start {}", self.host.agent))?;
        let group = child.id();
        let is_in_time = exits_in_time(child);
        kill_group(group);
        ensure!(is_in_time, "{} exceeded its time limit; {}", self.host.agent, self.log_tail());
        Ok(())
    }

    /// A command that starts the agent in a terminal; what it draws goes to a file.
    pub(super) fn in_terminal(&self, model: &ScriptedModel, log: &Path) -> Command {
        let program = self.fixture.program(self.host);
        let mut script = self.command(Path::new("script"));
        for (name, value) in self.host.env {
            script.env(name, self.fill_placeholders(value, model));
        }
        let agent = format!("stty cols 150 rows 40; exec '{}'", program.display());
        script.env("TERM", "xterm-256color").args(["-qfec", &agent]).arg(log);
        script.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        script
    }

    /// A command that starts the agent.
    pub(super) fn agent(&self) -> Command {
        self.under_managed_settings(&self.fixture.program(self.host))
    }

    /// A command that sees the organization's settings, if there are any.
    fn under_managed_settings(&self, program: &Path) -> Command {
        let Some(managed) = &self.managed else { return self.command(program) };
        let mut command = self.command(Path::new("unshare"));
        command.args(["--map-root-user", "--mount", "sh", "-c", LAID_OVER_ETC, "sh"]);
        command.arg(managed).arg(program);
        command
    }

    /// Writes the user's settings of Forebay.
    pub(super) fn write_forebay_settings(&self, text: &str) -> Result<()> {
        let folder = self.root.join("data");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(fs::write(folder.join("settings.toml"), text)?)
    }

    /// Gives the agent settings of an organization, which it reads below `/etc`.
    pub(super) fn set_managed_settings(&mut self, settings: &str) -> Result<()> {
        let managed = self.root.join("managed");
        for folder in ["etc/claude-code", "work"] {
            fs::create_dir_all(managed.join(folder))?;
        }
        fs::write(managed.join("etc/claude-code/managed-settings.json"), settings)?;
        self.managed = Some(managed);
        Ok(())
    }

    /// Returns the project's whole history from Forebay.
    pub(super) fn history(&self) -> Result<String> {
        let whole = ["history", "--all", "--limit", "500", "--budget", "100000"];
        process::stdout_text(self.command(&self.fixture.forebay).args(whole))
    }

    /// Returns the stored bytes of an entry.
    pub(super) fn entry(&self, reference: &str) -> Result<String> {
        process::stdout_text(self.command(&self.fixture.forebay).args(["get", "--raw", reference]))
    }

    /// Returns what `forebay stats` prints.
    pub(super) fn stats(&self, arguments: &[&str]) -> Result<String> {
        process::stdout_text(self.command(&self.fixture.forebay).arg("stats").args(arguments))
    }

    /// Returns what `forebay doctor` prints, whatever it finds.
    pub(super) fn doctor(&self) -> Result<String> {
        let output = self.under_managed_settings(&self.fixture.forebay).arg("doctor").output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns the last lines of the agent's output.
    pub(super) fn log_tail(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(15).collect();
        format!("its output ends with:\n{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }

    /// Saves the model's requests next to the home folder, for inspection.
    pub(super) fn save_requests(&self, name: &str, exchanges: &[Exchange]) -> Result<()> {
        for (number, exchange) in exchanges.iter().enumerate() {
            let file = self.root.join(format!("{name}-{number}.txt"));
            let Exchange { path, request, reply, .. } = exchange;
            fs::write(file, format!("{path}\n{}\n\n{reply}\n", request.raw))?;
        }
        Ok(())
    }

    fn log(&self) -> PathBuf {
        self.root.join("agent.log")
    }

    /// Creates a command with a clean environment and this home folder.
    fn command(&self, program: &Path) -> Command {
        let mut command = self.fixture.command(program, &self.root, &self.project());
        let forebay = self.fixture.forebay_folder();
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(forebay).chain(std::env::split_paths(&inherited)));
        command
            .env_clear()
            .env("PATH", path.unwrap_or(inherited))
            .env("HOME", self.home())
            // Once a week npm adds a notice about its own version to the output of a script.
            .env("npm_config_update_notifier", "false")
            .env("FOREBAY_HOME", self.root.join("data"));
        command
    }

    /// Replaces `{url}`, `{plugin}`, `{probe}`, `{project}` and `{home}`.
    fn fill_placeholders(&self, text: &str, model: &ScriptedModel) -> String {
        text.replace("{url}", &model.url())
            .replace("{plugin}", &workspace::root().join("plugins/claude-code").to_string_lossy())
            .replace("{probe}", &self.fixture.probe.to_string_lossy())
            .replace("{project}", &self.project().to_string_lossy())
            .replace("{home}", &self.home().to_string_lossy())
    }
}

/// The folders of the PATH that do not contain Forebay.
fn path_without_forebay() -> Result<OsString> {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&inherited);
    Ok(std::env::join_paths(folders.filter(|folder| !folder.join("forebay").exists()))?)
}

fn exits_in_time(mut child: Child) -> bool {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait()));
    receiver.recv_timeout(TURN_TIMEOUT).is_ok()
}

/// Kills processes that an agent left behind; it was started in its own process group.
fn kill_group(group: u32) {
    let _ = process::succeeds(process::command("kill").args(["-KILL", "--", &format!("-{group}")]));
}
