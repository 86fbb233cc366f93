//! `forebay replay`: what would have become of the results of past conversations.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::ingest::import::TranscriptSelection;
use forebay_app::replay::{self, Assumptions, Replay, report};
use forebay_app::{Answer, AppError, Call};
use forebay_platforms::transcripts::host_names;

use super::terminal::{self, Failure};
use super::{Common, progress};
use crate::doors::mcp;

/// Replay past conversations: what digests would have saved, and what later calls used
#[derive(Debug, Args)]
#[command(long_about = long_about())]
pub(super) struct Replays {
    #[command(flatten)]
    selection: Selection,
    /// Also write a picture of the tools' tokens
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Which conversations are replayed.
#[derive(Debug, Args)]
pub(super) struct Selection {
    /// Files or folders [default: the folders of the agents]
    #[arg(value_name = "TRANSCRIPT")]
    paths: Vec<PathBuf>,
    /// Include other projects
    #[arg(long)]
    all: bool,
}

fn long_about() -> String {
    format!(
        "Replay past conversations: what digests would have saved, and what later calls used\n\nReads transcripts of {} \
         with the current settings: which results would have been replaced, whether their digests show what later calls \
         name of them, and what all this costs, cache included. Stores nothing.",
        host_names("and")
    )
}

impl Replays {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let replay = self.selection.replay(common)?;
        if let Some(file) = &self.svg {
            write(common, file, &report::svg(&replay))?;
        }
        common.show(&Answer::new(replay::text::render(&replay), replay::data::data(&replay)))
    }
}

impl Selection {
    /// Replays the selected conversations, with a progress bar.
    pub(super) fn replay(self, common: &Common) -> Result<Replay, Failure> {
        let app = common.app()?;
        let selection = TranscriptSelection { paths: self.paths, all: self.all };
        let call = Call::default().prompting_with(terminal::ask);
        let assumptions = Assumptions { tool_list_tokens: mcp::tool_list_tokens(&app) };
        let bar = progress::bar("replaying", 0);
        let replay = replay::replay(&app, &selection, assumptions, &call, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        Ok(replay)
    }
}

/// Writes a file of the command line, relative to the working folder.
pub(super) fn write(common: &Common, file: &Path, text: &str) -> Result<(), Failure> {
    let path = common.working_folder()?.join(file);
    let unwritable = |error: std::io::Error| {
        let message = format!("cannot write {}: {error}", path.display());
        AppError::unavailable(message, Some("name a file in a folder that exists"))
    };
    Ok(std::fs::write(&path, text).map_err(unwritable)?)
}
