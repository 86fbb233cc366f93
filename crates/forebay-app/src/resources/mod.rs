//! What a host lists and watches without a tool call: stored entries and background jobs.

use forebay_domain::{Entry, Reference, Scope, Timestamp};
use forebay_store::HistoryPage;
use forebay_text::{cut, invisible};
use serde_json::Value;

use crate::guide::CONVERSATION_SOURCE;
use crate::render::describe;
use crate::run::jobs::{self, State};
use crate::{App, AppError};

/// Bytes of a title in a list.
const MAX_TITLE_BYTES: usize = 120;

/// An entry in a list.
pub struct ListedEntry {
    /// The ten characters of its reference.
    pub id: String,
    pub title: String,
    /// `run exit 101`
    pub what: String,
    pub bytes: u64,
    pub created: Timestamp,
    /// Entries before this number are older.
    pub sequence: i64,
}

/// Lists the project's entries, newest first.
pub fn entries(app: &App, before: Option<i64>, limit: usize) -> Result<Vec<ListedEntry>, AppError> {
    let page = HistoryPage {
        session: None,
        before,
        except_source: Some(CONVERSATION_SOURCE.to_owned()),
        limit,
    };
    let entries = app.stores.own()?.history(&page)?;
    let listed = |entry: Entry| ListedEntry {
        id: entry.reference.as_str().to_owned(),
        title: title(&entry.title),
        what: describe::what(&entry),
        bytes: entry.bytes,
        created: entry.created,
        sequence: entry.sequence,
    };
    Ok(entries.into_iter().map(listed).collect())
}

/// Returns an error if the project has no such entry.
pub fn check_entry(app: &App, id: &str) -> Result<(), AppError> {
    app.stores.locate(Reference::parse(id)?, Scope::default()).map(drop)
}

/// A background job, as far as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStatus {
    /// `j3`
    pub name: String,
    pub title: String,
    pub started: Timestamp,
    pub phase: JobPhase,
    /// Bytes of its output while it runs.
    pub output_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobPhase {
    Running,
    /// Ended by itself, or by a limit.
    Ended(Timestamp),
    /// Stopped by a caller.
    Stopped(Timestamp),
    /// Its supervisor was killed.
    Lost,
}

/// Lists the project's jobs, newest first.
pub fn jobs(app: &App) -> Vec<JobStatus> {
    jobs::all(app).iter().map(|(job, record, state)| status(job, record, *state)).collect()
}

/// Returns a job's status.
pub fn job(app: &App, name: &str) -> Result<JobStatus, AppError> {
    let job = jobs::find(app, name)?;
    let (record, state) = job.look()?;
    Ok(status(&job, &record, state))
}

fn status(job: &jobs::Job, record: &jobs::Record, state: State) -> JobStatus {
    let phase = match (&record.end, state) {
        (Some(end), _) if end.data.get("ending").and_then(Value::as_str) == Some("cancelled") => {
            JobPhase::Stopped(end.at)
        }
        (Some(end), _) => JobPhase::Ended(end.at),
        (None, State::Running) => JobPhase::Running,
        (None, _) => JobPhase::Lost,
    };
    JobStatus {
        name: job.name(),
        title: title(&record.title),
        started: record.started,
        phase,
        output_bytes: job.output_file().metadata().map_or(0, |file| file.len()),
    }
}

/// A title on one line, without characters that hide something.
fn title(text: &str) -> String {
    cut::one_line(&invisible::visible(text.to_owned()), MAX_TITLE_BYTES)
}
