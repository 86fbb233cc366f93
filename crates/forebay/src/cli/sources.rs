//! `forebay sources`: what was indexed; listed, shown, forgotten.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::ingest::sources;

use super::Common;
use super::terminal::Failure;

/// List what was indexed; show or forget a source
#[derive(Debug, Args)]
pub(super) struct Sources {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List all sources of the project
    List,
    /// Show a source with its entries
    Show {
        /// Its name, as the list has it
        name: String,
    },
    /// Forget a source with all its entries
    Forget {
        /// Its name, as the list has it
        name: String,
    },
}

impl Sources {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let answer = match self.what.unwrap_or(What::List) {
            What::List => sources::list(&app),
            What::Show { name } => sources::show(&app, &name),
            What::Forget { name } => sources::forget(&app, &name),
        };
        common.show(&answer?)
    }
}
