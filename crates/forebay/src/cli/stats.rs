//! `forebay stats`: tokens spent and saved.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show tokens saved, net of costs
#[derive(Debug, Args)]
pub(super) struct Stats {}

impl Stats {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        common.call_reader("ctx_stats", json!({}))
    }
}
