//! `cargo xtask postgres`: a PostgreSQL server for tests, in a folder of its own, gone when it is no longer needed.

mod install;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use tempfile::TempDir;

use crate::test::is_unattended;
use crate::{say, shell};

/// Start PostgreSQL for a command, or until Enter is pressed
#[derive(Debug, Args)]
pub(crate) struct Postgres {
    /// The command; FOREBAY_TEST_POSTGRES names the server
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

impl Postgres {
    pub(crate) fn carry_out(self) -> Result<()> {
        let servers = Servers::start()?;
        let Some((program, arguments)) = self.command.split_first() else {
            say::line(format!("{}\npress Enter to end it", servers.main.url()));
            std::io::stdin().read_line(&mut String::new())?;
            return Ok(());
        };
        let mut command = shell::command(program);
        servers.tell(command.args(arguments));
        shell::run(&mut command)
    }
}

/// What the tests need: a server for all of them, and one that a test may restart.
pub(crate) struct Servers {
    main: Server,
    restartable: Server,
}

impl Servers {
    pub(crate) fn start() -> Result<Self> {
        let programs = install::programs()?;
        Ok(Self { main: Server::start(&programs)?, restartable: Server::start(&programs)? })
    }

    /// The servers where they can be had. Unattended they must be; elsewhere their absence is told loudly.
    pub(crate) fn start_where_possible() -> Result<Option<Self>> {
        match Self::start() {
            Ok(servers) => Ok(Some(servers)),
            Err(error) if is_unattended() => Err(error.context("PostgreSQL for the tests")),
            Err(error) => {
                say::loudly(format!("no PostgreSQL, so its engine is NOT tested: {error:#}"));
                Ok(None)
            }
        }
    }

    pub(crate) fn url(&self) -> String {
        self.main.url()
    }

    /// Tells a command where the servers are.
    pub(crate) fn tell(&self, command: &mut Command) {
        command
            .env("FOREBAY_TEST_POSTGRES", self.main.url())
            .env("FOREBAY_TEST_POSTGRES_RESTARTABLE", self.restartable.url())
            .env("FOREBAY_TEST_POSTGRES_RESTART", self.restartable.restart_words());
    }
}

/// A running server; it ends with this value.
struct Server {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

impl Server {
    fn start(programs: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("forebay-postgres-").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server = Self { programs: programs.to_owned(), folder, port };
        server.make_data()?;
        shell::output(server.control("start").arg("--options").arg(server.options()))?;
        Ok(server)
    }

    fn url(&self) -> String {
        format!("postgres://forebay@127.0.0.1:{}/postgres", self.port)
    }

    fn make_data(&self) -> Result<()> {
        let data = self.data();
        fs::create_dir(&data)?;
        if let Some(user) = unprivileged_user()? {
            shell::output(shell::command("chown").arg(user.to_string()).arg(&data))?;
        }
        let mut initdb = as_unprivileged_user(&self.programs.join("initdb"))?;
        initdb.args(["--username", "forebay", "--auth", "trust", "--encoding", "UTF8"]);
        initdb.args(["--locale", "C.UTF-8", "--no-sync", "--pgdata"]).arg(data);
        shell::output(initdb.current_dir(self.folder.path())).map(drop)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A test server need not survive a power cut.
    fn options(&self) -> String {
        format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=off \
             -c full_page_writes=off -c shared_buffers=256MB -c max_wal_size=4GB",
            self.port,
            self.data().display()
        )
    }

    fn control(&self, verb: &str) -> Command {
        // Who may not start it is told when it is started.
        let program = self.programs.join("pg_ctl");
        let mut control =
            as_unprivileged_user(&program).unwrap_or_else(|_| shell::command(program));
        control.args([verb, "--wait", "--silent", "--pgdata"]).arg(self.data());
        control.arg("--log").arg(self.data().join("log"));
        control.current_dir(self.folder.path());
        control
    }

    fn restart_words(&self) -> String {
        shell::words(self.control("restart").args(["--mode", "fast"]))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = shell::output(self.control("stop").args(["--mode", "immediate"])) {
            say::loudly(format!("a test server was not stopped: {error:#}"));
        }
    }
}

/// The server refuses to run as root; then it runs as one of these users.
fn unprivileged_user() -> Result<Option<u32>> {
    let number = |words: &[&str]| -> Result<u32> {
        Ok(shell::text(shell::command("id").args(words))?.trim().parse()?)
    };
    if number(&["-u"])? != 0 {
        return Ok(None);
    }
    for name in ["postgres", "nobody"] {
        if let Ok(user) = number(&["-u", name]) {
            return Ok(Some(user));
        }
    }
    bail!("root needs a user `postgres` or `nobody` to run a server as")
}

fn as_unprivileged_user(program: &Path) -> Result<Command> {
    let Some(user) = unprivileged_user()? else { return Ok(shell::command(program)) };
    let user = user.to_string();
    let mut command = shell::command("setpriv");
    command.args(["--reuid", &user, "--clear-groups", "--"]).arg(program);
    Ok(command)
}

/// Whether a file is there that must be.
fn expect(path: &Path) -> Result<()> {
    path.exists().then_some(()).with_context(|| format!("{} is missing", path.display()))
}
