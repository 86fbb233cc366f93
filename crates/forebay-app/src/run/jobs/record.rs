//! The record of a job: a small file beside a lock that its supervisor holds while it lives.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use forebay_domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read_error;
use crate::AppError;

/// A job, identified by its folder.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    folder: PathBuf,
}

/// What the supervisor has recorded about its job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) title: String,
    pub(crate) session: String,
    pub(crate) kept: bool,
    /// Process id of the supervisor.
    #[serde(rename = "keeper")]
    pub(crate) supervisor: u32,
    #[serde(with = "as_millis")]
    pub(crate) started: Timestamp,
    pub(crate) end: Option<End>,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Ended,
    /// The supervisor died without recording the end.
    Lost,
}

/// How a job ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct End {
    /// The complete answer of the run.
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) raw_bytes: u64,
    #[serde(with = "as_millis")]
    pub(crate) at: Timestamp,
}

impl Job {
    pub(crate) fn new(folder: PathBuf) -> Self {
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
        let text = fs::read(self.folder.join("job.json")).map_err(read_error)?;
        serde_json::from_slice(&text).map_err(|error| read_error(error.into()))
    }

    /// Writes the record atomically.
    pub(super) fn write(&self, record: &Record) -> io::Result<()> {
        let coming = self.folder.join("job.json.new");
        fs::write(&coming, serde_json::to_vec(record)?)?;
        fs::rename(coming, self.folder.join("job.json"))
    }

    /// Returns the file with the output so far, while the job runs.
    pub(crate) fn output_file(&self) -> PathBuf {
        self.folder.join("output")
    }

    /// Returns the FIFO for the job's stdin.
    pub(crate) fn stdin_fifo(&self) -> PathBuf {
        self.folder.join("input")
    }

    /// Opens the lock file that the supervisor holds.
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

    /// Returns the record and the state of the job.
    pub(crate) fn look(&self) -> Result<(Record, State), AppError> {
        let record = self.record()?;
        if record.end.is_none() && self.supervisor_is_alive() {
            return Ok((record, State::Running));
        }
        // The supervisor may have recorded the end and exited since the record was read.
        let record = self.record()?;
        let state = if record.end.is_some() { State::Ended } else { State::Lost };
        Ok((record, state))
    }

    fn supervisor_is_alive(&self) -> bool {
        let Ok(lock) = self.lock_file() else { return false };
        matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Asks the supervisor to stop the job.
    pub(crate) fn stop(&self) -> Result<(), AppError> {
        let (record, state) = self.look()?;
        if state == State::Running {
            forebay_sandbox::terminate_job_runner(record.supervisor).map_err(read_error)?;
        }
        Ok(())
    }

    /// Removes its folder.
    pub(super) fn remove(&self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, job = self.name(), "cannot remove the job's folder");
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
