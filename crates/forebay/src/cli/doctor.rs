//! `forebay doctor`: health check.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::json;

use super::terminal::{self, Failure};
use super::{Common, project_root};

/// Check that everything works on this machine
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Move a damaged store aside under a new name and start a new one; nothing is deleted
    #[arg(long)]
    repair: bool,
}

impl Doctor {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.tolerant_app()?;
        let (_, fault) = common.valid_config(&project_root(&common.working_folder()?))?;
        if self.repair {
            terminal::print_answer(&app.repair()?)?;
        }
        let answer = app.call("ctx_doctor", json!({}), &Call::default())?;
        let healthy = answer.data["healthy"].as_bool().unwrap_or_default();
        common.show(&answer)?;
        Ok(if healthy && fault.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
