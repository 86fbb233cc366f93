//! `forebay schema`: tool declarations for a model's API.

use std::process::ExitCode;

use clap::Args;
use forebay_app::tools;

use super::Common;
use super::terminal::{self, Failure};
use crate::doors::functions::{self, Format};

/// Print tool declarations for function calling
///
/// Pass the output as `tools` in a request; `forebay call` executes the model's calls.
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// The target API
    #[arg(long, value_enum, default_value = "openai")]
    format: Format,
}

impl Schema {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        terminal::print_json(&functions::list(self.format, tools::listed(&app.settings.tools)))?;
        Ok(ExitCode::SUCCESS)
    }
}
