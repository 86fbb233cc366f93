//! `forebay history`: a session's entries or events, newest first.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// List runs and notes, or what happened, newest first
#[derive(Debug, Args)]
pub(super) struct History {
    /// How many
    #[arg(short = 'n', long)]
    limit: Option<u64>,
    /// Of every session, not just this one
    #[arg(long)]
    all: bool,
    /// What happened instead: all, file, task, decision, error, prompt, ...
    #[arg(long, value_name = "KIND")]
    events: Option<String>,
    /// Go on where the previous page ended
    #[arg(long)]
    cursor: Option<String>,
    /// Tokens the answer may have
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
}

impl History {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let session = if self.all { Some("all") } else { common.session.as_deref() };
        common.ask(
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
