//! Takes a run's output as it arrives: to who watches, to the digest, to the store.

use std::cell::OnceCell;

use forebay_digest::{Budget, Digest, Digester};
use forebay_domain::{Entry, EntryKind, RunRecord, Spans, Stream};
use forebay_redact::Redactions;
use forebay_sandbox::isolation::{AccessRules, explain_denials};
use forebay_sandbox::{FinishedRun, Profile, RunSpec, Sink};
use forebay_store::NewDetail;

use crate::ingest::digesting_upload::Keeping;
use crate::ingest::redaction::Streams;
use crate::stores::registry::SharedStore;
use crate::{App, AppError, Call};

/// Hands output to who watches as it is, and on to be kept without its secrets.
pub(super) struct Capture<'a> {
    pub(super) streams: Streams,
    pub(super) taking: Taking<'a>,
    pub(super) call: &'a Call,
    pub(super) watcher: &'a mut dyn Watcher,
}

/// Somebody who follows a run while it goes on.
pub trait Watcher {
    /// Bytes as they were printed.
    fn printed(&mut self, _stream: Stream, _bytes: &[u8]) {}

    /// Bytes as they are kept.
    fn kept(&mut self, _bytes: &[u8]) {}
}

/// Nobody follows.
pub struct Unwatched;

impl Watcher for Unwatched {}

impl Sink for Capture<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.watcher.printed(stream, bytes);
        self.streams.push(stream, bytes, &mut keeping(&mut self.taking, self.watcher));
        self.call.report(self.taking.bytes as f64, "bytes captured");
    }

    fn on_idle(&mut self) {
        self.streams.settle(&mut keeping(&mut self.taking, self.watcher));
    }
}

/// Hands on what may be kept: to who watches, to the digest and to the store.
fn keeping<'a>(
    taking: &'a mut Taking<'_>,
    watcher: &'a mut dyn Watcher,
) -> impl FnMut(Stream, &[u8]) + 'a {
    |stream, clean| {
        watcher.kept(clean);
        taking.take(stream, clean);
    }
}

impl Capture<'_> {
    /// Stores what arrived. The command has run by now, so a fault here is told, not thrown.
    pub(super) fn store(
        mut self,
        app: &App,
        spec: &RunSpec,
        finished: &FinishedRun,
        failed: bool,
    ) -> Stored {
        let redactions = self.streams.finish(&mut keeping(&mut self.taking, self.watcher));
        if failed {
            self.taking.keeping.digester.command_failed();
        }
        let blocked = blocked(&self.taking.end, spec, finished);
        let (digest, entry) = self.taking.store(app, spec, finished);
        Stored { digest, entry, redactions, blocked }
    }
}

/// A run's entry, or why there is none; the digest is there in either case.
pub(super) struct Stored {
    pub(super) digest: Digest,
    pub(super) entry: Result<Entry, AppError>,
    pub(super) redactions: Redactions,
    /// What isolation refused, as far as the output tells.
    pub(super) blocked: Vec<String>,
}

/// Takes what may be kept: to the store and to the digest.
pub(super) struct Taking<'a> {
    keeping: Keeping<'a>,
    title: &'a str,
    bytes: u64,
    /// Counted here, because what is kept is not as long as what was printed.
    spans: Spans,
    end: End,
}

impl<'a> Taking<'a> {
    pub(super) fn new(
        app: &'a App,
        store: &'a OnceCell<SharedStore>,
        title: &'a str,
        intent: Option<&str>,
        budget: Budget,
    ) -> Self {
        let digester = Digester::new(app.hint(title), intent, budget);
        Self {
            keeping: Keeping::new(move || app.places.upload_to_own(store), digester),
            title,
            bytes: 0,
            spans: Spans::default(),
            end: End::default(),
        }
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        self.keeping.take(bytes);
        self.spans.push(stream, bytes.len() as u64);
        self.end.push(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn store(
        self,
        app: &App,
        spec: &RunSpec,
        finished: &FinishedRun,
    ) -> (Digest, Result<Entry, AppError>) {
        let mut new = app.new_entry(EntryKind::Run, self.title.to_owned());
        new.detail = NewDetail::Run(RunRecord {
            ending: finished.ending,
            duration: finished.duration,
            cwd: spec.cwd.to_string_lossy().into_owned(),
            spans: self.spans,
        });
        self.keeping.finish(new)
    }
}

/// What isolation refused, as far as the end of a failed run's output tells.
fn blocked(end: &End, spec: &RunSpec, finished: &FinishedRun) -> Vec<String> {
    if finished.ending.is_success() || spec.isolation.profile == Profile::Off {
        return Vec::new();
    }
    let rules = AccessRules::new(&spec.isolation, None);
    explain_denials(&String::from_utf8_lossy(end.bytes()), &spec.cwd, &rules)
}

/// The end of an output, where a command says why it failed.
#[derive(Default)]
struct End {
    bytes: Vec<u8>,
}

impl End {
    const MOST: usize = 16 * 1024;

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(Self::MOST)..]);
        if self.bytes.len() > 2 * Self::MOST {
            self.bytes.drain(..self.bytes.len() - Self::MOST);
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(Self::MOST)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_bounded() {
        let mut end = End::default();
        for piece in [&b"start"[..], &vec![b'x'; 3 * End::MOST], b"end"] {
            end.push(piece);
            assert!(end.bytes.len() <= 2 * End::MOST);
        }
        assert!(end.bytes().ends_with(b"xend") && end.bytes().len() == End::MOST);
    }
}
