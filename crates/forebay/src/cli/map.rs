//! `forebay map`: the most referenced definitions of a repository.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show the most used definitions of the repository
#[derive(Debug, Args)]
pub(super) struct Map {
    /// Token budget of the map
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
}

impl Map {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let root = super::project_root(&common.working_folder()?);
        common.call_tool(
            "context_peek",
            json!({ "paths": root.to_string_lossy(), "budget": self.budget }),
        )
    }
}
