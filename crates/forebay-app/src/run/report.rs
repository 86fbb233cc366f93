//! The answer to a run, and how it is made again with more room.

use forebay_digest::{Budget, Digest};
use forebay_domain::{Ending, tokens};
use forebay_sandbox::{CancelToken, FinishedRun};
use serde_json::json;

use super::capture::{self, Stored};
use crate::ingest::digesting_upload::store_delivered_digest;
use crate::ingest::redaction;
use crate::render::difference::ComparedDigest;
use crate::render::frame::{self, Outcome};
use crate::{Answer, App, AppError};

/// Longer outputs are not read again.
pub(crate) const MAX_BYTES_READ_AGAIN: u64 = 16 * 1024 * 1024;
/// The last line of a frame names other gaps in a longer digest.
const FRAME_GROWTH: u64 = 8;

/// What the answer to a run is made of.
pub(super) struct Report {
    pub(super) command: String,
    /// What the output is stored under.
    pub(super) title: String,
    pub(super) intent: Option<String>,
    pub(super) stored: Stored,
    pub(super) compared: ComparedDigest,
    pub(super) meaning: Option<&'static str>,
    pub(super) failed: bool,
}

impl Report {
    pub(super) fn answer(&self, finished: &FinishedRun, budget: u64) -> Answer {
        let Stored { entry, redactions, blocked, .. } = &self.stored;
        let outcome = Outcome { finished, meaning: self.meaning, redactions, blocked };
        let text = frame::for_run(&self.compared, entry.as_ref(), &outcome, budget);
        let digest = &self.compared.digest;
        let data = json!({
            "ref": entry.as_ref().ok().map(|entry| entry.reference.as_str()),
            "command": self.command,
            "ending": finished.ending.to_string(),
            "exit": match finished.ending {
                Ending::Exited(code) => Some(code),
                _ => None,
            },
            "meaning": self.meaning,
            "millis": finished.duration.as_millis() as u64,
            "bytes": digest.bytes,
            "lines": digest.lines,
            "verbatim": digest.verbatim,
            "digest": digest.text,
            "redacted": redaction::counts(redactions),
            "blocked": blocked,
        });
        Answer::new(text, data).instead_of(digest.bytes)
    }

    /// Whether the output was shortened to fit, and could be shown at greater length.
    pub(super) fn is_shortened(&self) -> bool {
        let ComparedDigest { digest, above, below, unchanged } = &self.compared;
        let is_compared = above.is_some() || below.is_some() || unchanged.is_some();
        let is_short =
            self.stored.entry.as_ref().is_ok_and(|entry| entry.bytes <= MAX_BYTES_READ_AGAIN);
        !digest.verbatim && !is_compared && is_short
    }

    /// Replaces the digest, also the stored one, by one for an answer of this budget, in which `frame_bytes` stand around
    /// it; returns whether it did.
    pub(super) fn enlarge(
        &mut self,
        app: &App,
        frame_bytes: usize,
        budget: u64,
        cancel: &CancelToken,
    ) -> Result<bool, AppError> {
        let frame = tokens::estimate_bytes(frame_bytes as u64) + FRAME_GROWTH;
        let room = budget.saturating_sub(frame);
        if !self.is_shortened() || room <= tokens::estimate(&self.compared.digest.text) {
            return Ok(false);
        }
        let Some(digest) = self.digest_again(app, room, cancel)? else { return Ok(false) };
        if let Ok(entry) = &mut self.stored.entry {
            store_delivered_digest(app, entry, &digest)?;
        }
        self.compared.digest = digest;
        Ok(true)
    }

    /// Digests the stored output; nothing if the call is cancelled meanwhile.
    fn digest_again(
        &self,
        app: &App,
        room: u64,
        cancel: &CancelToken,
    ) -> Result<Option<Digest>, AppError> {
        let budget = Budget::exactly(room);
        let mut digester = capture::digester(app, &self.title, self.intent.as_deref(), budget);
        if self.failed {
            digester.command_failed();
        }
        if let Ok(entry) = &self.stored.entry {
            app.stores.own()?.read(entry.reference, 0, &mut |part| {
                digester.push(part);
                !cancel.is_cancelled()
            })?;
        }
        Ok((!cancel.is_cancelled()).then(|| digester.finish()))
    }
}
