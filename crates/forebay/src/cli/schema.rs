//! `forebay schema`: the tools as a model's API wants them declared.

use std::process::ExitCode;

use clap::Args;
use forebay_app::tools;

use super::Common;
use super::terminal::{self, Failure};
use crate::doors::functions::{self, Format};

/// Print the tools for a model's function calling
///
/// What is printed goes into a request as `tools`; what the model then calls is answered by `forebay call`.
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// The API it is for
    #[arg(long, value_enum, default_value = "openai")]
    format: Format,
}

impl Schema {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        terminal::print_json(&functions::list(self.format, tools::listed(&app.settings.tools)))?;
        Ok(ExitCode::SUCCESS)
    }
}
