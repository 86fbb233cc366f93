//! A fresh data folder and a fresh project, and the binary to be measured.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;

use crate::shell;

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
