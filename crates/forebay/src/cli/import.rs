//! `forebay import`: past conversations of agents, made searchable.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use forebay_app::importing::{self, Wanted};

use super::terminal::{self, Failure};
use super::{Common, progress};

/// Load past agent transcripts
///
/// Claude Code, Codex, Gemini CLI and OpenCode. Only what is new since the last time is read, and only
/// conversations that were held in this project.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Files or folders; without any, the places where the agents keep them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Also those of other projects, each into its own store
    #[arg(long)]
    all: bool,
}

impl Import {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let wanted = Wanted { paths: self.paths, all: self.all };
        let call = Call::new()?.asking(terminal::ask);
        let bar = progress::bar("importing", 0);
        let report = importing::import(&app, &wanted, &call, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        terminal::tell_notices(&app)?;
        common.show(&report.into_answer())?;
        app.settle()?;
        Ok(ExitCode::SUCCESS)
    }
}
