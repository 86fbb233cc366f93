//! `forebay map`: what the rest of a repository leans on most.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Map the repository: its most used definitions
#[derive(Debug, Args)]
pub(super) struct Map {
    /// Tokens the map may have
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
}

impl Map {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let root = super::project_root(&common.working_folder()?);
        common
            .ask("context_peek", json!({ "paths": root.to_string_lossy(), "budget": self.budget }))
    }
}
