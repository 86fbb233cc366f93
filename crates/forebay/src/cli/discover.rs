//! `forebay discover`: what would have been saved in past conversations.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use forebay_app::ingest::import::TranscriptSelection;
use forebay_app::replay::discover;
use forebay_platforms::transcripts::host_names;

use super::terminal::{self, Failure};
use super::{Common, progress};

/// Show what Forebay would have saved in past conversations, by tool
#[derive(Debug, Args)]
#[command(long_about = long_about())]
pub(super) struct Discover {
    /// Files or folders [default: the folders of the agents]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Include other projects
    #[arg(long)]
    all: bool,
}

fn long_about() -> String {
    format!(
        "Show what Forebay would have saved in past conversations, by tool\n\nReads transcripts of {} and \
         stores nothing.",
        host_names("and")
    )
}

impl Discover {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let selection = TranscriptSelection { paths: self.paths, all: self.all };
        let call = Call::default().prompting_with(terminal::ask);
        let bar = progress::bar("reading", 0);
        let answer = discover::discover(&app, &selection, &call, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        common.show(&answer)
    }
}
