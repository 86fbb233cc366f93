//! `forebay maintain`: store maintenance after the command that wrote to it has exited.

use std::io::{self, Read};
use std::process::ExitCode;

use clap::Args;
use forebay_app::App;

use super::Common;
use super::terminal::Failure;

/// Maintain the store (internal)
#[derive(Debug, Args)]
#[command(hide = true, alias = "tidy")]
pub(super) struct Maintain {}

const NAME: &str = "maintain";

impl Maintain {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        // The parent keeps our stdin open until it exits.
        io::stdin().lock().read_to_end(&mut Vec::new())?;
        let app = common.app()?;
        if app.needs_maintenance()
            && let Err(error) = app.run_maintenance()
        {
            // Output is not read; the next writer starts another maintenance process.
            tracing::warn!(%error, "store maintenance failed");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Starts a maintenance process if needed, so that this command does not wait for the disk. Written data is safe in any
/// case.
pub(super) fn spawn_if_needed(common: &Common, app: &App) -> Result<(), Failure> {
    if !app.needs_maintenance() {
        return Ok(());
    }
    let left = common.own_program(NAME).is_some_and(|own| own.spawn_after_exit().is_ok());
    if !left {
        app.run_maintenance()?;
    }
    Ok(())
}
