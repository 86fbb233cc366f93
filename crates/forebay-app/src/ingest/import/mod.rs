//! Importing: past conversations of agents become entries of the project they were held in.
//!
//! - [`find`] knows which transcripts there are and whose project each belongs to;
//! - `read` hands out their lines from where the last import ended;
//! - `turns` puts what the lines say together: turns, and results worth an entry of their own;
//! - `write` makes entries of that, without secrets and searchable;
//! - `store` stores them in batches.
//!
//! A batch of entries and how far the transcript is read with them are stored in one transaction, so an
//! import that was interrupted goes on, and one that is repeated adds nothing.

pub mod find;
pub(crate) mod read;
mod store;
mod turns;
mod write;

use std::path::PathBuf;
use std::sync::mpsc::{self, SyncSender};

use forebay_redact::Redactions;
use forebay_store::ImportStep;
use forebay_text::number;
use serde_json::{Value, json};

use self::find::Transcript;
use self::store::{Batch, Workers};
use self::turns::Collector;
use crate::ingest::redaction;
use crate::{Answer, App, AppError, Call};

/// What is held in memory before it is written.
const BATCH_BYTES: usize = 1024 * 1024;
/// Batches that wait to be written.
const BATCHES_AHEAD: usize = 2;

/// Which transcripts are meant.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Files or folders; without any, the places where hosts keep them.
    pub paths: Vec<PathBuf>,
    /// Also those of other projects, each into the store of its own.
    pub all: bool,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct Report {
    pub transcripts: u64,
    pub turns: u64,
    pub captures: u64,
    pub bytes: u64,
    pub malformed: u64,
    /// Transcripts of other projects, which were left alone.
    pub elsewhere: u64,
    /// Transcripts that could not be read, and why.
    pub faults: Vec<String>,
    redactions: Redactions,
}

/// Imports what is new; `progress` is told the bytes read and all there are.
pub fn import(
    app: &App,
    wanted: &Wanted,
    call: &Call,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, AppError> {
    let found = find::transcripts(app, wanted, call)?;
    let mut report =
        Report { elsewhere: found.elsewhere, faults: found.faults, ..Report::default() };
    let total = found.transcripts.iter().map(|transcript| transcript.bytes).sum();
    let mut before = 0;
    for transcript in &found.transcripts {
        let told =
            import_one(app, transcript, &mut report, &mut |bytes| progress(before + bytes, total));
        if let Err(error) = told {
            report.faults.push(format!("{}: {}", transcript.name(), error.message));
        }
        before += transcript.bytes;
        progress(before, total);
    }
    Ok(report)
}

/// Reads on where the last import ended, while other threads store what was read.
fn import_one(
    app: &App,
    transcript: &Transcript,
    report: &mut Report,
    progress: &mut dyn FnMut(u64),
) -> Result<(), AppError> {
    let store = match &transcript.project {
        Some(project) => app.places.of_project(project)?,
        None => app.places.own()?,
    };
    let Some(mark) = transcript.mark()? else { return Ok(()) };
    let known = store.imported(&transcript.key())?.filter(|known| known.mark == mark);
    let from = known.map_or(0, |known| known.position);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(BATCHES_AHEAD);
        let workers = Workers::start(scope, &store, receiver);
        let batches = Batches { app, transcript, mark, sent: 0, position: from, sender };
        let read = batches.read(from, report, progress);
        read.and(workers.join())
    })
}

/// What was read of a transcript, on its way to the store.
struct Batches<'a> {
    app: &'a App,
    transcript: &'a Transcript,
    mark: String,
    sent: usize,
    /// How far the batches go that were sent.
    position: u64,
    sender: SyncSender<Batch>,
}

impl Batches<'_> {
    fn read(
        mut self,
        from: u64,
        report: &mut Report,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), AppError> {
        let mut collector = Collector::new(self.transcript);
        let mut items = Vec::new();
        let mut at = from;
        read::lines(self.transcript, from, &mut |position, line| {
            let consumed = match line {
                read::Line::Whole(bytes) => {
                    (self.transcript.format.parse_line)(bytes, &mut items).is_ok()
                }
                // It may still be written.
                read::Line::Open(bytes)
                    if (self.transcript.format.parse_line)(bytes, &mut items).is_err() =>
                {
                    return false;
                }
                read::Line::Open(_) => true,
                read::Line::TooLong => false,
            };
            report.malformed += u64::from(!consumed);
            items.drain(..).for_each(|item| collector.take(item));
            at = position;
            progress(position);
            collector.bytes() < BATCH_BYTES || self.send(&mut collector, at, report)
        })?;
        let is_new = at > from;
        if is_new {
            self.send(&mut collector, at, report);
            report.transcripts += 1;
            report.bytes +=
                if self.transcript.is_file() { at - from } else { self.transcript.bytes };
        }
        Ok(())
    }

    /// Hands over what was collected; `false` when nobody takes it any more.
    fn send(&mut self, collector: &mut Collector, to: u64, report: &mut Report) -> bool {
        let made = write::entries(self.app, self.transcript, collector.finish());
        report.turns += made.turns;
        report.captures += made.captures;
        report.redactions.add(&made.redactions);
        let step = ImportStep {
            transcript: self.transcript.key(),
            mark: self.mark.clone(),
            from: self.position,
            to,
        };
        let batch = Batch { number: self.sent, entries: made.entries, step };
        self.position = to;
        self.sent += 1;
        self.sender.send(batch).is_ok()
    }
}

impl Report {
    /// What a model or a person is told.
    pub fn into_answer(self) -> Answer {
        let mut text = format!(
            "imported {} from {}: {}, {}",
            number::bytes(self.bytes),
            number::counted(self.transcripts, "conversation"),
            number::counted(self.turns, "turn"),
            number::counted(self.captures, "tool result"),
        );
        if self.transcripts == 0 {
            "nothing new to import".clone_into(&mut text);
        }
        if self.malformed > 0 {
            text.push_str(&format!(
                "\n{} malformed and skipped",
                number::counted(self.malformed, "line")
            ));
        }
        if self.elsewhere > 0 {
            let count = number::counted(self.elsewhere, "conversation");
            text.push_str(&format!(
                "\n{count} of other projects left alone: all=true takes each into its own"
            ));
        }
        for fault in self.faults.iter().take(5) {
            text.push_str(&format!("\nnot read: {fault}"));
        }
        let data = self.data();
        Answer::new(redaction::told(text, &self.redactions), data)
    }

    fn data(&self) -> Value {
        json!({
            "conversations": self.transcripts,
            "turns": self.turns,
            "tool_results": self.captures,
            "bytes": self.bytes,
            "malformed_lines": self.malformed,
            "of_other_projects": self.elsewhere,
            "not_read": self.faults,
            "redacted": redaction::counts(&self.redactions),
        })
    }
}
