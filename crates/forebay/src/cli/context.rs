//! `forebay context`: a bounded overview of the project.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show an overview of this project: notes, last requests, sessions
#[derive(Debug, Args)]
pub(super) struct Context {
    /// Another project, by name
    #[arg(long)]
    project: Option<String>,
    /// Limit notes to: session, branch, ticket (or a key: ABC-12), project, all
    #[arg(long)]
    scope: Option<String>,
    /// Maximum number of notes
    #[arg(short = 'n', long, value_name = "COUNT", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Titles only
    #[arg(long)]
    compact: bool,
    /// Pinned notes: 0 for the default, negative for none
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    pinned: Option<String>,
    /// Other notes
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    notes: Option<String>,
    /// Last requests of earlier sessions
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    prompts: Option<String>,
    /// Sessions
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    sessions: Option<String>,
    /// Maximum bytes of the answer
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    max_bytes: Option<String>,
}

impl Context {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        common.call_reader(
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
