//! `forebay tidy`: puts the store in order when the command that wrote to it has answered and ended.

use std::io::{self, Read};
use std::process::ExitCode;

use clap::Args;
use forebay_app::App;

use super::Common;
use super::terminal::Failure;

/// Put the store in order (started by other commands, not by hand)
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct Tidy {}

const NAME: &str = "tidy";

impl Tidy {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        // Whoever left this behind holds our stdin open until he ends.
        io::stdin().lock().read_to_end(&mut Vec::new())?;
        let app = common.app()?;
        if app.wants_tidying()
            && let Err(error) = app.tidy_up()
        {
            // Nobody reads what it would say; the next who writes leaves another behind.
            tracing::warn!(%error, "the store stays as it is");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Leaves the store to a process of its own, if there is something to do: the disk is waited for, and nobody is to
/// wait with it. What was written is kept in any case.
pub(super) fn leave_behind(common: &Common, app: &App) -> Result<(), Failure> {
    if !app.wants_tidying() {
        return Ok(());
    }
    let left = common.own_program(NAME).is_some_and(|own| own.start_for_afterwards().is_ok());
    if !left {
        app.tidy_up()?;
    }
    Ok(())
}
