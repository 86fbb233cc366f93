//! Imports past agent conversations as entries of the projects they belong to.
//!
//! - [`find`]: finds transcripts and the project of each;
//! - `read`: reads their lines from where the last import stopped;
//! - `turns`: assembles turns, and results that become entries of their own;
//! - `write`: builds redacted and searchable entries;
//! - `store`: stores them in batches.
//!
//! A batch of entries and the position in the transcript are stored in one transaction, so an interrupted
//! import continues where it stopped, and a repeated one adds nothing.

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
use crate::{Answer, App, AppError, Call, ledger};

/// Text collected in memory per batch.
const BATCH_BYTES: usize = 1024 * 1024;
/// Batches waiting to be written.
const QUEUED_BATCHES: usize = 2;

/// Selects transcripts.
#[derive(Debug, Clone, Default)]
pub struct TranscriptSelection {
    /// Files or folders; if empty, the default locations of the hosts.
    pub paths: Vec<PathBuf>,
    /// Includes other projects, each imported into its own store.
    pub all: bool,
}

/// The result of an import.
#[derive(Debug, Default)]
pub struct Report {
    pub transcripts: u64,
    pub turns: u64,
    pub captures: u64,
    pub bytes: u64,
    pub malformed: u64,
    /// Skipped transcripts of other projects.
    pub elsewhere: u64,
    /// Transcripts that cannot be read, and why.
    pub faults: Vec<String>,
    redactions: Redactions,
}

/// Imports new conversations; `progress` receives the bytes read and the total.
pub fn import(
    app: &App,
    selection: &TranscriptSelection,
    call: &Call,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, AppError> {
    let found = find::transcripts(app, selection, call)?;
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

/// Reads on from where the last import stopped, while other threads store the batches.
fn import_one(
    app: &App,
    transcript: &Transcript,
    report: &mut Report,
    progress: &mut dyn FnMut(u64),
) -> Result<(), AppError> {
    let store = match &transcript.project {
        Some(project) => app.stores.of_project(project)?,
        None => app.stores.own()?,
    };
    let Some(mark) = transcript.fingerprint()? else { return Ok(()) };
    let mark = app.redaction.redact(&mark).0;
    let key = app.redaction.name(&transcript.key());
    let known = store.import_position(&key)?.filter(|known| known.mark == mark);
    let from = known.map_or(0, |known| known.position);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(QUEUED_BATCHES);
        let workers = Workers::start(scope, &store, receiver);
        let batches = Batches { app, transcript, mark, sent: 0, position: from, sender };
        let read = batches.read(from, report, progress);
        read.and(workers.join())
    })
}

/// Sends what was read of a transcript to the storing threads.
struct Batches<'a> {
    app: &'a App,
    transcript: &'a Transcript,
    mark: String,
    sent: usize,
    /// The position after the last sent batch.
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
        let mut requests =
            ledger::Collector::new(self.app, self.transcript.platform.id, collector.session());
        let mut items = Vec::new();
        read::headings(self.transcript, from, &mut |item| {
            requests.take(&item);
            collector.take(item);
        })?;
        let mut at = from;
        read::lines(self.transcript, from, &mut |position, line| {
            let consumed = match line {
                read::Line::Whole(bytes) => {
                    (self.transcript.format.parse_line)(bytes, &mut items).is_ok()
                }
                // The line may still be being written.
                read::Line::Open(bytes)
                    if (self.transcript.format.parse_line)(bytes, &mut items).is_err() =>
                {
                    return false;
                }
                read::Line::Open(_) => true,
                read::Line::TooLong => false,
            };
            report.malformed += u64::from(!consumed);
            for item in items.drain(..) {
                requests.take(&item);
                collector.take(item);
            }
            at = position;
            progress(position);
            collector.bytes() < BATCH_BYTES
                || self.send(&mut collector, requests.finish(), at, report)
        })?;
        let is_new = at > from;
        if is_new {
            self.send(&mut collector, requests.finish(), at, report);
            report.transcripts += 1;
            report.bytes +=
                if self.transcript.is_file() { at - from } else { self.transcript.bytes };
        }
        Ok(())
    }

    /// Sends the collected text; returns `false` if the storing threads have stopped.
    fn send(
        &mut self,
        collector: &mut Collector,
        requests: ledger::Collected,
        to: u64,
        report: &mut Report,
    ) -> bool {
        let made = write::entries(self.app, self.transcript, collector.finish());
        report.turns += made.turns;
        report.captures += made.captures;
        report.redactions.add(&made.redactions);
        let step = ImportStep {
            transcript: self.app.redaction.name(&self.transcript.key()),
            mark: self.mark.clone(),
            from: self.position,
            to,
        };
        let batch = Batch { number: self.sent, entries: made.entries, requests, step };
        self.position = to;
        self.sent += 1;
        self.sender.send(batch).is_ok()
    }
}

impl Report {
    /// Renders the report.
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
                "\n{count} of other projects skipped: all=true imports each into its own project"
            ));
        }
        for fault in self.faults.iter().take(5) {
            text.push_str(&format!("\nnot read: {fault}"));
        }
        let data = self.data();
        Answer::new(redaction::with_remark(text, &self.redactions), data)
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
