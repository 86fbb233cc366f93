//! `cargo xtask postgres`: a temporary PostgreSQL server for tests.

mod install;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::test::Skips;
use crate::{console, process};

/// Start PostgreSQL for the duration of a command, or until Enter is pressed
#[derive(Debug, Args)]
pub(crate) struct Postgres {
    /// The command; FOREBAY_TEST_POSTGRES names the server
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

impl Postgres {
    pub(crate) fn run(self) -> Result<()> {
        let servers = Servers::start()?;
        let Some((program, arguments)) = self.command.split_first() else {
            console::line(format!("{}\npress Enter to stop it", servers.main.url()));
            std::io::stdin().read_line(&mut String::new())?;
            return Ok(());
        };
        let mut command = process::command(program);
        servers.configure(command.args(arguments));
        process::run(&mut command)
    }
}

/// The servers that the tests need: a shared one, and one that a test may restart.
pub(crate) struct Servers {
    main: Server,
    restartable: Server,
}

impl Servers {
    pub(crate) fn start() -> Result<Self> {
        let programs = install::programs()?;
        Ok(Self { main: Server::start(&programs)?, restartable: Server::start(&programs)? })
    }

    /// Starts the servers if PostgreSQL is available; records a skip otherwise.
    pub(crate) fn start_if_available(skips: &mut Skips) -> Result<Option<Self>> {
        match Self::start() {
            Ok(servers) => Ok(Some(servers)),
            Err(error) => {
                skips.add("PostgreSQL", &format!("PostgreSQL cannot be started: {error:#}"))?;
                Ok(None)
            }
        }
    }

    pub(crate) fn url(&self) -> String {
        self.main.url()
    }

    /// Passes the servers' addresses to a command, by environment variables.
    pub(crate) fn configure(&self, command: &mut Command) {
        command
            .env("FOREBAY_TEST_POSTGRES", self.main.url())
            .env("FOREBAY_TEST_POSTGRES_RESTARTABLE", self.restartable.url())
            .env("FOREBAY_TEST_POSTGRES_RESTART", self.restartable.restart_command());
    }
}

/// A running server; stopped when dropped.
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

/// A server whose processes are stopped by a signal; they continue when this is dropped.
pub(crate) struct Paused(Vec<Pid>);

impl Drop for Paused {
    fn drop(&mut self) {
        for process in &self.0 {
            // A process that ended meanwhile needs no signal.
            let _ = kill_process(*process, Signal::CONT);
        }
    }
}

impl Server {
    /// Starts a server of its own.
    pub(crate) fn start_one() -> Result<Self> {
        Self::start(&install::programs()?)
    }

    pub(crate) fn restart(&self) -> Result<()> {
        process::stdout(self.control("restart").args(["--mode", "fast"])).map(drop)
    }

    /// Stops all processes of the server without ending them, as a frozen machine would.
    pub(crate) fn pause(&self) -> Result<Paused> {
        let file = fs::read_to_string(self.data().join("postmaster.pid"))?;
        let main: u32 = file.lines().next().context("postmaster.pid is empty")?.trim().parse()?;
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children"))?;
        let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
        let pids = std::iter::once(main).chain(children);
        let processes: Vec<Pid> =
            pids.filter_map(|pid| Pid::from_raw(pid.try_into().ok()?)).collect();
        for process in &processes {
            kill_process(*process, Signal::STOP)?;
        }
        Ok(Paused(processes))
    }

    fn start(programs: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("forebay-postgres-").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server = Self { programs: programs.to_owned(), folder, port };
        server.create_data()?;
        process::stdout(server.control("start").arg("--options").arg(server.options()))?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://forebay@127.0.0.1:{}/postgres", self.port)
    }

    fn create_data(&self) -> Result<()> {
        let data = self.data();
        fs::create_dir(&data)?;
        if let Some(user) = unprivileged_user()? {
            process::stdout(process::command("chown").arg(user.to_string()).arg(&data))?;
        }
        let mut initdb = as_unprivileged_user(&self.programs.join("initdb"))?;
        initdb.args(["--username", "forebay", "--auth", "trust", "--encoding", "UTF8"]);
        initdb.args(["--locale", "C.UTF-8", "--no-sync", "--pgdata"]).arg(data);
        process::stdout(initdb.current_dir(self.folder.path())).map(drop)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Options that trade durability for speed.
    fn options(&self) -> String {
        format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=off \
             -c full_page_writes=off -c shared_buffers=256MB -c max_wal_size=4GB",
            self.port,
            self.data().display()
        )
    }

    fn control(&self, verb: &str) -> Command {
        // Without permission to change the user, pg_ctl reports the error itself.
        let program = self.programs.join("pg_ctl");
        let mut control =
            as_unprivileged_user(&program).unwrap_or_else(|_| process::command(program));
        control.args([verb, "--wait", "--silent", "--pgdata"]).arg(self.data());
        control.arg("--log").arg(self.data().join("log"));
        control.current_dir(self.folder.path());
        control
    }

    fn restart_command(&self) -> String {
        process::command_line(self.control("restart").args(["--mode", "fast"]))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = process::stdout(self.control("stop").args(["--mode", "immediate"])) {
            console::warning(format!("cannot stop a test server: {error:#}"));
        }
    }
}

/// Returns the user to run the server as if this process is root, which PostgreSQL refuses.
fn unprivileged_user() -> Result<Option<u32>> {
    let user_id = |arguments: &[&str]| -> Result<u32> {
        Ok(process::stdout_text(process::command("id").args(arguments))?.trim().parse()?)
    };
    if user_id(&["-u"])? != 0 {
        return Ok(None);
    }
    for name in ["postgres", "nobody"] {
        if let Ok(user) = user_id(&["-u", name]) {
            return Ok(Some(user));
        }
    }
    bail!("root needs a user `postgres` or `nobody` to run a server as")
}

fn as_unprivileged_user(program: &Path) -> Result<Command> {
    let Some(user) = unprivileged_user()? else { return Ok(process::command(program)) };
    let user = user.to_string();
    let mut command = process::command("setpriv");
    command.args(["--reuid", &user, "--clear-groups", "--"]).arg(program);
    Ok(command)
}

/// Fails if a path does not exist.
fn require_exists(path: &Path) -> Result<()> {
    path.exists().then_some(()).with_context(|| format!("{} is missing", path.display()))
}
