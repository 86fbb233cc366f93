//! What is known of a job: a small file beside a lock that its keeper holds while it lives.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use forebay_domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::unreadable;
use crate::AppError;

/// A job, by its folder.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    folder: PathBuf,
}

/// What its keeper wrote down.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) title: String,
    pub(crate) session: String,
    pub(crate) kept: bool,
    pub(crate) keeper: u32,
    #[serde(with = "as_millis")]
    pub(crate) started: Timestamp,
    pub(crate) end: Option<End>,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Ended,
    /// Its keeper was killed and left no end.
    Lost,
}

/// How it ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct End {
    /// The whole answer to the run.
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) raw_bytes: u64,
    #[serde(with = "as_millis")]
    pub(crate) at: Timestamp,
}

impl Job {
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn number(&self) -> u64 {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.parse().ok()).unwrap_or(0)
    }

    /// `j3`
    pub(crate) fn name(&self) -> String {
        format!("j{}", self.number())
    }

    fn record(&self) -> Result<Record, AppError> {
        let text = fs::read(self.folder.join("job.json")).map_err(unreadable)?;
        serde_json::from_slice(&text).map_err(|error| unreadable(error.into()))
    }

    /// Writes the record, whole or not at all.
    pub(super) fn write(&self, record: &Record) -> io::Result<()> {
        let coming = self.folder.join("job.json.new");
        fs::write(&coming, serde_json::to_vec(record)?)?;
        fs::rename(coming, self.folder.join("job.json"))
    }

    /// What it said so far, while it runs.
    pub(crate) fn output_file(&self) -> PathBuf {
        self.folder.join("output")
    }

    /// Where it takes input.
    pub(crate) fn inlet(&self) -> PathBuf {
        self.folder.join("input")
    }

    /// The lock that its keeper holds.
    pub(super) fn lock_file(&self) -> io::Result<File> {
        let path = self.folder.join("lock");
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
    }

    /// What is known of it, and where it stands.
    pub(crate) fn look(&self) -> Result<(Record, State), AppError> {
        let record = self.record()?;
        if record.end.is_none() && self.keeper_lives() {
            return Ok((record, State::Running));
        }
        // The keeper may have written the end and gone since the record was read.
        let record = self.record()?;
        let state = if record.end.is_some() { State::Ended } else { State::Lost };
        Ok((record, state))
    }

    fn keeper_lives(&self) -> bool {
        let Ok(lock) = self.lock_file() else { return false };
        matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Asks its keeper to end it.
    pub(crate) fn stop(&self) -> Result<(), AppError> {
        let (record, state) = self.look()?;
        if state == State::Running {
            forebay_sandbox::terminate_job_runner(record.keeper).map_err(unreadable)?;
        }
        Ok(())
    }

    /// Removes its folder.
    pub(super) fn forget(&self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, job = self.name(), "its folder stays");
        }
    }
}

mod as_millis {
    use forebay_domain::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(at.0)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(from).map(Timestamp)
    }
}
