//! `forebay export`: writes a project's entries to an archive.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::team::{ExportFilter, archive};

use super::Common;
use super::terminal::Failure;

/// Write notes and sources to an archive
///
/// `forebay import FILE` imports it into any project on any machine; existing entries are kept as they are.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The archive to write: notes.forebay
    file: PathBuf,
    /// Only sources that match this glob [default: all]
    #[arg(long, value_name = "GLOB")]
    source: Vec<String>,
    /// Include outputs of runs, captured results and imported conversations
    #[arg(long)]
    runs: bool,
    /// Include personal notes
    #[arg(long)]
    personal: bool,
}

impl Export {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let sources = if self.source.is_empty() { vec!["**".to_owned()] } else { self.source };
        let filter = ExportFilter { sources, runs: self.runs, personal: self.personal };
        common.show(&archive::export(&app, &self.file, &filter)?)
    }
}
