//! `forebay context`: what is known of the project, in few words.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show what is known of this project: notes, last requests, sessions
#[derive(Debug, Args)]
pub(super) struct Context {
    /// Another project, by its name
    #[arg(long)]
    project: Option<String>,
    /// Only notes of this: session, branch, ticket (or one: ABC-12), project, all
    #[arg(long)]
    scope: Option<String>,
    /// Notes at most
    #[arg(short = 'n', long, value_name = "COUNT", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Titles only
    #[arg(long)]
    compact: bool,
    /// Pinned notes: 0 for the default, below 0 for none
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    pinned: Option<String>,
    /// Other notes
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    notes: Option<String>,
    /// Requests of earlier sessions
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    prompts: Option<String>,
    /// Sessions
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    sessions: Option<String>,
    /// Bytes of the answer at most
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    max_bytes: Option<String>,
}

impl Context {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        common.ask(
            "ctx_context",
            json!({
                "project": self.project,
                "scope": self.scope,
                "limit": self.limit,
                "compact": self.compact,
                "pinned": self.pinned,
                "notes": self.notes,
                "prompts": self.prompts,
                "sessions": self.sessions,
                "max_bytes": self.max_bytes,
            }),
        )
    }
}
