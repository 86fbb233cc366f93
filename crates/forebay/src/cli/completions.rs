//! `forebay completions`: a completion script for a shell.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use super::terminal::{self, Failure};

/// Print a completion script for your shell
///
/// For bash: forebay completions bash > ~/.local/share/bash-completion/completions/forebay
#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "forebay", &mut script);
        terminal::print_plain(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
