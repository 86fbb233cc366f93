//! Rewrites answers of the server on a thread of its own: a digest takes time, and other messages do not wait for it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError};
use std::time::Duration;

use forebay_app::wrap::WrappedCall;

use super::json::{self, Members};
use super::session::{Pending, Session};
use super::{listing, result};

/// Time without answers after which what was stored is indexed.
const PAUSE: Duration = Duration::from_millis(200);

/// A line to rewrite.
pub(super) enum Job {
    /// The answer to a request.
    Answer { line: String, pending: Pending },
    /// Several messages in one line.
    Batch { line: String },
    /// The last line of a server that has ended within it: it passes behind everything else, or what follows would be part of
    /// the line.
    Unfinished { line: Vec<u8> },
}

/// Works until no more jobs can come, or the client is gone.
pub(super) fn run(session: &Session, jobs: &Receiver<Job>) {
    let mut next = jobs.recv();
    while let Ok(job) = next {
        if finish(session, &job).is_err() {
            return;
        }
        next = next_job(session, jobs);
    }
}

/// Returns the next job; indexes what was stored if there is none for a while.
fn next_job(session: &Session, jobs: &Receiver<Job>) -> Result<Job, RecvError> {
    match jobs.recv_timeout(PAUSE) {
        Ok(job) => Ok(job),
        Err(RecvTimeoutError::Disconnected) => Err(RecvError),
        Err(RecvTimeoutError::Timeout) => {
            if let Err(error) = session.server.finish_pending_work() {
                tracing::warn!(%error, "some results are not searchable yet");
            }
            jobs.recv()
        }
    }
}

/// Sends what becomes of a line: the line itself if nothing does, whatever fails.
fn finish(session: &Session, job: &Job) -> io::Result<()> {
    let (line, pending) = match job {
        Job::Answer { line, pending } => (line, Some(pending)),
        Job::Batch { line } => (line, None),
        Job::Unfinished { line } => return session.to_client(line),
    };
    let rewritten = catch_unwind(AssertUnwindSafe(|| match pending {
        Some(pending) => answer(session, line, pending),
        None => batch(session, line),
    }));
    match rewritten {
        Ok(Some(text)) => session.to_client(format!("{text}\n").as_bytes()),
        Ok(None) => session.to_client(line.as_bytes()),
        Err(_) => {
            tracing::error!("a result was not digested: the digest panicked");
            session.to_client(line.as_bytes())
        }
    }
}

/// The answer in place of one; `None` if it stays.
fn answer(session: &Session, text: &str, pending: &Pending) -> Option<String> {
    let mut message = Members::parse(text).ok()?;
    let rewritten = match pending {
        Pending::Initialize => return None,
        Pending::ListTools { is_first } => {
            listing::rewrite(session, message.get("result")?, *is_first)?
        }
        Pending::StartTask(call) if note_task(session, call, &message) => return None,
        // Or a server that has not made a task of it.
        Pending::Call(call) | Pending::StartTask(call) => {
            result::rewrite(session, call, message.get("result")?)?
        }
    };
    message.set("result", rewritten);
    Some(message.into_text())
}

/// Notes the task that a call goes on as; returns whether it does.
pub(super) fn note_task(session: &Session, call: &WrappedCall, message: &Members<'_>) -> bool {
    let result = message.object("result");
    let task = result.as_ref().and_then(|result| result.object("task")?.string("taskId"));
    let is_task = task.is_some();
    if let Some(task) = task {
        session.add_task(task, call.clone());
    }
    is_task
}

fn batch(session: &Session, line: &str) -> Option<String> {
    let mut is_changed = false;
    let rewritten = |text: &&str| {
        let message = Members::parse(text).ok()?;
        if message.get("method").is_some() {
            return None;
        }
        let pending = session.answered(message.get("id")?)?;
        answer(session, text, &pending)
    };
    let messages: Vec<String> = json::items(line)?
        .iter()
        .map(|text| {
            let rewritten = rewritten(text);
            is_changed |= rewritten.is_some();
            rewritten.unwrap_or_else(|| (*text).to_owned())
        })
        .collect();
    is_changed.then(|| json::list(&messages))
}
