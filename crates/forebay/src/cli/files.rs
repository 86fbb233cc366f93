//! `forebay files`: the files a session works on.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// List a session's files at work and what skeletons save
#[derive(Debug, Args)]
pub(super) struct Files {}

impl Files {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        common.ask("context_status", json!({}))
    }
}
