//! `forebay files`: the files a session works on.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// List tracked files and the tokens their skeletons save
#[derive(Debug, Args)]
pub(super) struct Files {}

impl Files {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        common.call_tool("context_status", json!({}))
    }
}
