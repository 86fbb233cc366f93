//! A Forebay binary with an empty data folder and project of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::process;

const POLL_INTERVAL: Duration = Duration::from_millis(1);
const CHECKPOINT_TIMEOUT: Duration = Duration::from_mins(1);
/// A shorter write-ahead log is not checkpointed.
const MAX_WAL_BYTES: u64 = 1_000_000;

pub(crate) struct Installation {
    folder: Arc<TempDir>,
    forebay: PathBuf,
    /// The store's URL, unless it is a file.
    store_url: Option<String>,
}

impl Installation {
    pub(crate) fn new(forebay: &Path, below: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("forebay-").tempdir_in(below)?;
        let env = Self { folder: Arc::new(folder), forebay: forebay.to_owned(), store_url: None };
        fs::create_dir(env.project())?;
        process::stdout(
            process::command("git").args(["init", "--quiet"]).current_dir(env.project()),
        )?;
        Ok(env)
    }

    /// Creates another environment for the same binary.
    pub(crate) fn fresh(&self) -> Result<Self> {
        let below = self.folder.path().parent().unwrap_or_else(|| self.folder.path());
        Self::new(&self.forebay, below)
    }

    /// Creates another environment for the same binary, with its store on a server.
    pub(crate) fn with_store(&self, url: &str) -> Result<Self> {
        Ok(Self { store_url: Some(url.to_owned()), ..self.fresh()? })
    }

    /// Creates a command that runs the binary in this project with this data folder.
    pub(crate) fn forebay(&self, arguments: &[&str]) -> Command {
        let mut forebay = plain_command(&self.forebay);
        forebay.args(arguments).current_dir(self.project());
        forebay.env("FOREBAY_HOME", self.folder.path().join("data"));
        if let Some(url) = &self.store_url {
            forebay.env("FOREBAY_STORE", url);
        }
        forebay
    }

    /// The same data folder and project with another binary.
    pub(crate) fn with_binary(&self, forebay: &Path) -> Self {
        let folder = Arc::clone(&self.folder);
        Self { folder, forebay: forebay.to_owned(), store_url: self.store_url.clone() }
    }

    /// Creates a command that runs a shell script in the project; `$FOREBAY` is the binary.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut shell = self.forebay(&[]);
        let variables: Vec<_> = shell
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        shell = plain_command("sh");
        shell.args(["-c", script]).current_dir(self.project()).envs(variables);
        shell.env("FOREBAY", &self.forebay).env("TMPDIR", self.folder.path());
        shell
    }

    /// Returns the path of a file outside of the project.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the statistics of the project's store.
    pub(crate) fn store_stats(&self) -> Result<Value> {
        let stdout = process::stdout(&mut self.forebay(&["stats", "--json"]))?;
        let stats: Value = serde_json::from_slice(&stdout).context("forebay stats --json")?;
        Ok(stats["store"].clone())
    }

    /// Waits for the background process that checkpoints the store after a command.
    pub(crate) fn wait_for_checkpoint(&self) -> Result<()> {
        let started = Instant::now();
        while self.wal_bytes()? >= MAX_WAL_BYTES {
            ensure!(started.elapsed() < CHECKPOINT_TIMEOUT, "the store was not checkpointed");
            thread::park_timeout(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Returns the size of the write-ahead log of the project's store.
    fn wal_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for project in fs::read_dir(self.folder.path().join("data/projects"))? {
            let wal = project?.path().join("store.db-wal");
            bytes += fs::metadata(wal).map_or(0, |metadata| metadata.len());
        }
        Ok(bytes)
    }

    /// Returns the project folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }
}

/// Creates a command with the environment that hosts use.
///
/// Cargo sets `LD_LIBRARY_PATH`, and the dynamic loader would search it first for every library, which takes
/// longer than some of the measurements.
pub(crate) fn plain_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = process::command(program);
    command.env_remove("LD_LIBRARY_PATH");
    command
}
