//! `forebay push` and `forebay pull`: notes shared with a team, through a server.

use std::process::ExitCode;

use clap::Args;
use forebay_app::team::Chosen;
use forebay_app::team::sync::{self, Server};
use forebay_app::{App, Call};

use super::Common;
use super::terminal::{self, Failure};

/// What both take.
#[derive(Debug, Args)]
struct With {
    /// The server's address; the setting team.server names it too
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The token for it; better in FOREBAY_TEAM_TOKEN
    #[arg(long)]
    token: Option<String>,
    /// Sources that match this glob, too
    #[arg(long, value_name = "GLOB")]
    source: Vec<String>,
    /// Outputs of runs, captured results and imported conversations, too
    #[arg(long)]
    runs: bool,
}

impl With {
    fn server(&self, app: &App) -> Result<Server, Failure> {
        Ok(Server::choose(app, self.server.clone(), self.token.clone())?)
    }

    fn chosen(&self) -> Chosen {
        Chosen { sources: self.source.clone(), runs: self.runs, personal: false }
    }
}

/// Share this project's notes through a server
///
/// Only what the server does not have yet is sent, and never a personal note. One that was interrupted goes on
/// where it ended.
#[derive(Debug, Args)]
pub(super) struct Push {
    #[command(flatten)]
    with: With,
}

/// Take in what others shared through a server
///
/// Nothing here is overwritten: notes that say something else of the same are both kept, and marked.
#[derive(Debug, Args)]
pub(super) struct Pull {
    #[command(flatten)]
    with: With,
}

impl Push {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let call = Call::default().asking(terminal::ask);
        let answer = sync::push(&app, &self.with.server(&app)?, &self.with.chosen(), &call)?;
        common.show(&answer)
    }
}

impl Pull {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let call = Call::default().asking(terminal::ask);
        let answer = sync::pull(&app, &self.with.server(&app)?, &self.with.chosen(), &call)?;
        common.show(&answer)?;
        common.settle(&app)?;
        Ok(ExitCode::SUCCESS)
    }
}
