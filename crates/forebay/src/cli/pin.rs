//! `forebay pin` and `forebay unpin`: which notes every new session sees first.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show a note first in every new session
///
/// Pinning changes the note's state and nothing else; a note that was replaced cannot be pinned.
#[derive(Debug, Args)]
pub(super) struct Pin {
    /// The note
    reference: String,
}

/// Unpin a note
#[derive(Debug, Args)]
pub(super) struct Unpin {
    /// The note
    reference: String,
}

impl Pin {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        common.call_tool("ctx_annotate", json!({ "supersedes": self.reference, "pinned": true }))
    }
}

impl Unpin {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        common.call_tool("ctx_annotate", json!({ "supersedes": self.reference, "pinned": false }))
    }
}
