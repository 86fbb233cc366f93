//! A fresh data folder and a fresh project, and the binary to be measured.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::shell;

/// How often and how long one looks for what another process does.
const LOOK: Duration = Duration::from_millis(1);
const PATIENCE: Duration = Duration::from_mins(1);
/// A shorter log is left as it is.
const LONGEST_LOG: u64 = 1_000_000;

pub(super) struct Stage {
    folder: TempDir,
    forebay: PathBuf,
    /// The store, where it is not in files.
    store: Option<String>,
}

impl Stage {
    pub(super) fn new(forebay: &Path, below: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(below)?;
        let stage = Self { folder, forebay: forebay.to_owned(), store: None };
        fs::create_dir(stage.project())?;
        shell::output(
            shell::command("git").args(["init", "--quiet"]).current_dir(stage.project()),
        )?;
        Ok(stage)
    }

    /// Another stage of the same binary.
    pub(super) fn another(&self) -> Result<Self> {
        let below = self.folder.path().parent().unwrap_or_else(|| self.folder.path());
        Self::new(&self.forebay, below)
    }

    /// Another stage of the same binary, whose store is on a server.
    pub(super) fn on_server(&self, url: &str) -> Result<Self> {
        Ok(Self { store: Some(url.to_owned()), ..self.another()? })
    }

    /// The binary in this project and with this data folder; nothing of it shows.
    pub(super) fn forebay(&self, arguments: &[&str]) -> Command {
        let mut forebay = plain(&self.forebay);
        forebay.args(arguments).current_dir(self.project());
        forebay.env("FOREBAY_HOME", self.folder.path().join("data"));
        if let Some(store) = &self.store {
            forebay.env("FOREBAY_STORE", store);
        }
        forebay
    }

    /// A file of this stage, outside the project.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the store of the project holds.
    pub(super) fn store_facts(&self) -> Result<Value> {
        let told = shell::output(&mut self.forebay(&["stats", "--json"]))?;
        let stats: Value = serde_json::from_slice(&told).context("forebay stats --json")?;
        Ok(stats["store"].clone())
    }

    /// Waits for the process that a command left behind to copy the log of the store back.
    pub(super) fn wait_until_tidy(&self) -> Result<()> {
        let started = Instant::now();
        while self.log_bytes()? >= LONGEST_LOG {
            ensure!(started.elapsed() < PATIENCE, "the log of the store is not copied back");
            thread::park_timeout(LOOK);
        }
        Ok(())
    }

    /// Bytes in the log of the project's store.
    fn log_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for project in fs::read_dir(self.folder.path().join("data/projects"))? {
            let log = project?.path().join("store.db-wal");
            bytes += fs::metadata(log).map_or(0, |metadata| metadata.len());
        }
        Ok(bytes)
    }

    /// The folder of the project.
    pub(super) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }
}

/// A program as hosts start it. Cargo's own path for libraries would be searched for each of the program's first,
/// which takes longer than some of what is measured.
pub(super) fn plain(program: impl AsRef<OsStr>) -> Command {
    let mut command = shell::command(program);
    command.env_remove("LD_LIBRARY_PATH");
    command
}
