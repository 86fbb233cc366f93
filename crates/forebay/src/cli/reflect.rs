//! `forebay reflect`: a session in at most a hundred words.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Tell a session in at most 100 words
#[derive(Debug, Args)]
pub(super) struct Reflect {
    /// Every session together
    #[arg(long)]
    all: bool,
}

impl Reflect {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let session = if self.all { Some("all") } else { common.session.as_deref() };
        common.ask("ctx_reflect", json!({ "session": session }))
    }
}
