//! `forebay reflect`: summarizes a session in at most 100 words.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Summarize a session in at most 100 words
#[derive(Debug, Args)]
pub(super) struct Reflect {
    /// All sessions together
    #[arg(long)]
    all: bool,
}

impl Reflect {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let session = if self.all { Some("all") } else { common.session.as_deref() };
        common.call_reader("ctx_reflect", json!({ "session": session }))
    }
}
