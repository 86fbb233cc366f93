//! `forebay stats`: what it cost, what it saved.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show the tokens saved, costs included
#[derive(Debug, Args)]
pub(super) struct Stats {}

impl Stats {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        common.ask("ctx_stats", json!({}))
    }
}
