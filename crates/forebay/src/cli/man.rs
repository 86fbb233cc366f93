//! `forebay man`: the manual page.

use std::process::ExitCode;

use clap::Args;

use super::terminal::{self, Failure};

/// Print the manual page
///
/// To read it: forebay man | man -l -
#[derive(Debug, Args)]
pub(super) struct Man {}

impl Man {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let mut page = Vec::new();
        clap_mangen::Man::new(super::command()).render(&mut page)?;
        terminal::print_plain(&String::from_utf8_lossy(&page))?;
        Ok(ExitCode::SUCCESS)
    }
}
