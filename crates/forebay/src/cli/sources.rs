//! `forebay sources`: lists, shows and deletes indexed sources.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::ingest::sources;
use forebay_app::{App, AppError, Reply};

use super::Common;
use super::terminal::{self, Failure};

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
    /// Delete a source with all its entries; asks first
    Forget {
        /// Name as listed
        name: String,
        /// Delete without asking
        #[arg(short, long)]
        yes: bool,
    },
}

impl Sources {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let answer = match self.what.unwrap_or(What::List) {
            What::List => sources::list(&app),
            What::Show { name } => sources::show(&app, &name),
            What::Forget { name, yes } => {
                if !yes {
                    confirm(&app, &name)?;
                }
                sources::forget(&app, &name)
            }
        };
        common.show(&answer?)
    }
}

/// Asks at the terminal; without one, only --yes deletes.
fn confirm(app: &App, name: &str) -> Result<(), AppError> {
    let source = sources::show(app, name)?;
    let entries = source.data["entries"].as_u64().unwrap_or_default();
    let what = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
    match terminal::ask(&format!("Delete the source {name} with {what}? This cannot be undone.")) {
        Reply::Yes => Ok(()),
        Reply::No => {
            Err(AppError::refused(format!("{name} is unchanged"), "answer y to delete it"))
        }
        Reply::Unavailable => Err(AppError::refused(
            format!("{name} was not deleted: there is no terminal to ask at"),
            "add --yes",
        )),
    }
}
