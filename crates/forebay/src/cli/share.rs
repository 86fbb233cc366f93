//! `forebay push` and `forebay pull`: share notes with a team through a server.

use std::process::ExitCode;

use clap::Args;
use forebay_app::team::ExportFilter;
use forebay_app::team::sync::{self, Server};
use forebay_app::{App, Call};

use super::Common;
use super::terminal::{self, Failure};

/// Options of both commands.
#[derive(Debug, Args)]
struct With {
    /// URL of the server [setting: team.server]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// Token; prefer FOREBAY_TEAM_TOKEN
    #[arg(long)]
    token: Option<String>,
    /// Include sources that match this glob
    #[arg(long, value_name = "GLOB")]
    source: Vec<String>,
    /// Include outputs of runs, captured results and imported conversations
    #[arg(long)]
    runs: bool,
}

impl With {
    fn server(&self, app: &App) -> Result<Server, Failure> {
        Ok(Server::choose(app, self.server.clone(), self.token.clone())?)
    }

    fn filter(&self) -> ExportFilter {
        ExportFilter { sources: self.source.clone(), runs: self.runs, personal: false }
    }
}

/// Share this project's notes through a server
///
/// Sends only what the server does not have, and never a personal note. An interrupted push resumes.
#[derive(Debug, Args)]
pub(super) struct Push {
    #[command(flatten)]
    with: With,
}

/// Fetch what others shared through a server
///
/// Nothing is overwritten: conflicting notes are both kept and marked.
#[derive(Debug, Args)]
pub(super) struct Pull {
    #[command(flatten)]
    with: With,
}

impl Push {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let call = Call::default().prompting_with(terminal::ask);
        let answer = sync::push(&app, &self.with.server(&app)?, &self.with.chosen(), &call)?;
        common.show(&answer)
    }
}

impl Pull {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let call = Call::default().prompting_with(terminal::ask);
        let answer = sync::pull(&app, &self.with.server(&app)?, &self.with.chosen(), &call)?;
        common.show(&answer)?;
        common.index_all(&app)?;
        Ok(ExitCode::SUCCESS)
    }
}
