//! `forebay pin` and `forebay unpin`: which notes every new session is told first.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Have a note told first to every new session
///
/// The note is written again, pinned, and replaces the one it was: who pinned it is kept as well.
#[derive(Debug, Args)]
pub(super) struct Pin {
    /// The note
    reference: String,
}

/// Tell a note like any other again
#[derive(Debug, Args)]
pub(super) struct Unpin {
    /// The note
    reference: String,
}

impl Pin {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        common.ask("ctx_annotate", json!({ "supersedes": self.reference, "pinned": true }))
    }
}

impl Unpin {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        common.ask("ctx_annotate", json!({ "supersedes": self.reference, "pinned": false }))
    }
}
