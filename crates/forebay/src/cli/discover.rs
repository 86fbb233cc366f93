//! `forebay discover`: what would have been saved in past conversations.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use forebay_app::ingest::import::Wanted;
use forebay_app::replay::discover;

use super::terminal::{self, Failure};
use super::{Common, progress};

/// Tell what would have been saved in past conversations, by tool
///
/// Reads the transcripts of Claude Code, Codex, Gemini CLI and OpenCode and stores nothing.
#[derive(Debug, Args)]
pub(super) struct Discover {
    /// Files or folders; without any, the places where the agents keep them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Also those of other projects
    #[arg(long)]
    all: bool,
}

impl Discover {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let wanted = Wanted { paths: self.paths, all: self.all };
        let call = Call::default().asking(terminal::ask);
        let bar = progress::bar("reading", 0);
        let answer = discover::discover(&app, &wanted, &call, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        common.show(&answer)
    }
}
