//! `forebay sources`: lists, shows and deletes indexed sources.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::ingest::sources;

use super::Common;
use super::terminal::Failure;

/// List indexed sources; show or delete one
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
        /// Name as listed
        name: String,
    },
    /// Delete a source with all its entries
    Forget {
        /// Name as listed
        name: String,
    },
}

impl Sources {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let answer = match self.what.unwrap_or(What::List) {
            What::List => sources::list(&app),
            What::Show { name } => sources::show(&app, &name),
            What::Forget { name } => sources::forget(&app, &name),
        };
        common.show(&answer?)
    }
}
