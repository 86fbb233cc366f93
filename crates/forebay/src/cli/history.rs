//! `forebay history`: a session's entries or events, newest first.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// List entries or events, newest first
#[derive(Debug, Args)]
pub(super) struct History {
    /// Maximum number
    #[arg(short = 'n', long)]
    limit: Option<u64>,
    /// All sessions, not only this one
    #[arg(long)]
    all: bool,
    /// List events instead: all, file, task, decision, error, prompt, ...
    #[arg(long, value_name = "KIND")]
    events: Option<String>,
    /// Continue where the previous page ended
    #[arg(long)]
    cursor: Option<String>,
    /// Token budget of the answer
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
}

impl History {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let session = if self.all { Some("all") } else { common.session.as_deref() };
        common.call_reader(
            "ctx_history",
            json!({
                "session": session,
                "events": self.events,
                "limit": self.limit,
                "cursor": self.cursor,
                "budget": self.budget,
            }),
        )
    }
}
