//! `forebay export`: what is kept of this project, in one file that can be carried anywhere.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::team::{Chosen, archive};

use super::Common;
use super::terminal::Failure;

/// Write notes and sources into an archive
///
/// `forebay import FILE` takes it in, in any project and on any machine; what is there already stays as it is.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The archive to write: notes.forebay
    file: PathBuf,
    /// Only sources that match this glob; without any, all
    #[arg(long, value_name = "GLOB")]
    source: Vec<String>,
    /// Outputs of runs, captured results and imported conversations, too
    #[arg(long)]
    runs: bool,
    /// Personal notes, too
    #[arg(long)]
    personal: bool,
}

impl Export {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let sources = if self.source.is_empty() { vec!["**".to_owned()] } else { self.source };
        let chosen = Chosen { sources, runs: self.runs, personal: self.personal };
        common.show(&archive::export(&app, &self.file, &chosen)?)
    }
}
