//! Passes a run's output to its watcher, the digest and the store as it arrives.

use std::cell::OnceCell;
use std::path::PathBuf;

use forebay_digest::{Budget, Digest, Digester};
use forebay_domain::{Entry, EntryKind, RunRecord, Spans, Stream};
use forebay_redact::Redactions;
use forebay_sandbox::isolation::explain_denials;
use forebay_sandbox::{FinishedRun, RunSpec, Sink};
use forebay_store::{NewCommandRun, NewDetail};

use super::jobs;
use crate::inferred_intent::last_request;
use crate::ingest::digesting_upload::DigestingUpload;
use crate::ingest::redaction::StreamRedactor;
use crate::stores::registry::SharedStore;
use crate::{App, AppError, Call};

/// Passes output to the watcher as it is, and redacted to the digest and the store.
pub(super) struct Capture<'a> {
    pub(super) streams: StreamRedactor,
    pub(super) sink: OutputSink<'a>,
    pub(super) call: &'a Call,
    pub(super) watcher: &'a mut dyn Watcher,
}

/// Receives the output of a run while it runs.
pub trait Watcher {
    /// Receives bytes as they were printed.
    fn printed(&mut self, _stream: Stream, _bytes: &[u8]) {}

    /// Receives bytes as they are stored, after redaction.
    fn kept(&mut self, _bytes: &[u8]) {}
}

/// A watcher that ignores the output.
pub struct Unwatched;

impl Watcher for Unwatched {}

impl Sink for Capture<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.watcher.printed(stream, bytes);
        self.streams.push(stream, bytes, &mut redact_into(&mut self.sink, self.watcher));
        self.call.report(self.sink.bytes as f64, "bytes captured");
    }

    fn on_idle(&mut self) {
        self.streams.flush_safe(&mut redact_into(&mut self.sink, self.watcher));
    }
}

/// Returns a callback that passes redacted bytes to the watcher, the digest and the store.
fn redact_into<'a>(
    sink: &'a mut OutputSink<'_>,
    watcher: &'a mut dyn Watcher,
) -> impl FnMut(Stream, &[u8]) + 'a {
    |stream, clean| {
        watcher.kept(clean);
        sink.take(stream, clean);
    }
}

impl Capture<'_> {
    /// Stores the output. The command has already run, so a failure is reported in the answer, not returned.
    pub(super) fn store(
        mut self,
        app: &App,
        spec: &RunSpec,
        finished: &FinishedRun,
        failed: bool,
        command: Option<NewCommandRun>,
    ) -> Stored {
        let redactions = self.streams.finish(&mut redact_into(&mut self.sink, self.watcher));
        if failed {
            self.sink.upload.digester.command_failed();
        }
        let tail = String::from_utf8_lossy(self.sink.end.bytes());
        let how_to_stop = |pid| jobs::how_to_stop(app, pid);
        let mut blocked = explain_denials(spec, &tail, finished.ending.is_success(), &how_to_stop);
        blocked.extend(set_aside_note(app, finished));
        blocked.extend(changed_note(app, finished));
        let (digest, entry) = self.sink.store(app, spec, finished, command);
        Stored { digest, entry, redactions, blocked }
    }
}

/// Names the files that the run made and that were renamed, because other programs would obey them.
fn set_aside_note(app: &App, finished: &FinishedRun) -> Option<String> {
    let names = shown_paths(app, &finished.set_aside)?;
    Some(format!(
        "isolation: renamed to *.from-run, because other programs take commands from it: {names}; \
         the user can rename it back"
    ))
}

/// Names the files that other programs obey and that were changed, because this system cannot freeze them.
fn changed_note(app: &App, finished: &FinishedRun) -> Option<String> {
    let names = shown_paths(app, &finished.changed)?;
    Some(format!(
        "isolation: changed while the command ran, and other programs take commands from it: {names}; \
         this system cannot prevent that (see doctor), so the user should look at it"
    ))
}

/// Paths as seen from the project; None if there are none.
fn shown_paths(app: &App, paths: &[PathBuf]) -> Option<String> {
    let shown =
        |path: &PathBuf| path.strip_prefix(app.root()).unwrap_or(path).display().to_string();
    let names: Vec<String> = paths.iter().map(shown).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The stored run, or why it was not stored; the digest exists either way.
pub(super) struct Stored {
    pub(super) digest: Digest,
    pub(super) entry: Result<Entry, AppError>,
    pub(super) redactions: Redactions,
    /// What isolation blocked, as far as the output shows.
    pub(super) blocked: Vec<String>,
}

/// Writes redacted bytes to the store and the digest.
pub(super) struct OutputSink<'a> {
    app: &'a App,
    intent: Option<&'a str>,
    upload: DigestingUpload<'a>,
    title: &'a str,
    bytes: u64,
    /// Bytes printed; redaction changes the length of what is stored.
    spans: Spans,
    end: OutputTail,
}

impl<'a> OutputSink<'a> {
    pub(super) fn new(
        app: &'a App,
        store: &'a OnceCell<SharedStore>,
        title: &'a str,
        intent: Option<&'a str>,
        budget: Budget,
    ) -> Self {
        let digester = Digester::new(app.hint(title), intent, budget);
        Self {
            app,
            intent,
            upload: DigestingUpload::new(move || app.stores.upload_to_own(store), digester),
            title,
            bytes: 0,
            spans: Spans::default(),
            end: OutputTail::default(),
        }
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        if self.bytes == 0 {
            // Not before the command runs: until then the store may still be opening.
            infer_intent(self.app, &mut self.upload.digester, self.intent);
        }
        self.upload.take(bytes);
        self.spans.push(stream, bytes.len() as u64);
        self.end.push(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn store(
        self,
        app: &App,
        spec: &RunSpec,
        finished: &FinishedRun,
        command: Option<NewCommandRun>,
    ) -> (Digest, Result<Entry, AppError>) {
        let mut new = app.new_entry(EntryKind::Run, self.title.to_owned());
        // An answer of Forebay repeats what is stored; a search must find the original.
        new.has_all_chunks = crate::own_calls::is_own_command(self.title);
        new.command = command;
        new.detail = NewDetail::Run(RunRecord {
            ending: finished.ending,
            duration: finished.duration,
            cwd: app.redaction.name(&spec.cwd.to_string_lossy()),
            spans: self.spans,
        });
        self.upload.finish(new)
    }
}

/// Returns a digester like that of the running command.
pub(super) fn digester(app: &App, title: &str, intent: Option<&str>, budget: Budget) -> Digester {
    let mut digester = Digester::new(app.hint(title), intent, budget);
    infer_intent(app, &mut digester, intent);
    digester
}

/// Guesses what is looked for if the caller does not say so.
fn infer_intent(app: &App, digester: &mut Digester, intent: Option<&str>) {
    if intent.is_none()
        && let Some(words) = last_request(app)
    {
        digester.infer_intent(&words);
    }
}

/// The tail of an output, where commands report why they failed.
#[derive(Default)]
struct OutputTail {
    bytes: Vec<u8>,
}

impl OutputTail {
    const MAX_BYTES: usize = 16 * 1024;

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(Self::MAX_BYTES)..]);
        if self.bytes.len() > 2 * Self::MAX_BYTES {
            self.bytes.drain(..self.bytes.len() - Self::MAX_BYTES);
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(Self::MAX_BYTES)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_tail_is_bounded() {
        let mut end = OutputTail::default();
        for piece in [&b"start"[..], &vec![b'x'; 3 * OutputTail::MAX_BYTES], b"end"] {
            end.push(piece);
            assert!(end.bytes.len() <= 2 * OutputTail::MAX_BYTES);
        }
        assert!(end.bytes().ends_with(b"xend") && end.bytes().len() == OutputTail::MAX_BYTES);
    }
}
