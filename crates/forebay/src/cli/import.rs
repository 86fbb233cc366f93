//! `forebay import`: past conversations of agents made searchable, and archives taken in.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use forebay_app::ingest::import::{self, TranscriptSelection};
use forebay_app::team::archive;
use forebay_platforms::transcripts::host_names;

use super::terminal::{self, Failure};
use super::{Common, progress};

/// Load past agent transcripts, or archives of `forebay export`
#[derive(Debug, Args)]
#[command(long_about = long_about())]
pub(super) struct Import {
    /// Files or folders [default: the folders of the agents]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Include other projects, each in its own store
    #[arg(long)]
    all: bool,
    /// Maximum size of an unpacked archive
    #[arg(long, value_name = "MB", default_value_t = archive::DEFAULT_MAX_MB)]
    max_mb: u64,
}

fn long_about() -> String {
    format!(
        "Load past agent transcripts, or archives of `forebay export`\n\nReads transcripts of {}. Only reads \
         what is new since the last import, and only conversations in this project. Entries of an archive \
         that exist already are left unchanged.",
        host_names("and")
    )
}

impl Import {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let (archives, transcripts): (Vec<PathBuf>, Vec<PathBuf>) =
            self.paths.into_iter().partition(|path| archive::is_archive_file(path));
        for path in &archives {
            common.show(&archive::import(&app, path, self.max_mb)?)?;
        }
        if !archives.is_empty() && transcripts.is_empty() {
            common.index_all(&app)?;
            return Ok(ExitCode::SUCCESS);
        }
        let wanted = TranscriptSelection { paths: transcripts, all: self.all };
        let call = Call::default().prompting_with(terminal::ask);
        let bar = progress::bar("importing", 0);
        let report = import::import(&app, &wanted, &call, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        terminal::tell_notices(&app)?;
        common.show(&report.into_answer())?;
        common.index_all(&app)?;
        Ok(ExitCode::SUCCESS)
    }
}
