//! `forebay watch`: calls as they happen, with the digest beside the raw text.
//!
//! - `feed`: reads what is new, by the dashboard's live view; `call`: a call of it;
//! - `lines`: prints calls one per line, where stdout is no terminal;
//! - `state`: what is shown, and what a key makes of it; `keys`, `scroll`, `details`: parts of that;
//! - `layout`, `view`, `texts`: draw the state;
//! - `screen`: the terminal, and the threads that read for it.

mod call;
mod details;
mod feed;
mod keys;
mod layout;
mod lines;
mod screen;
mod scroll;
mod state;
#[cfg(test)]
mod tests;
mod texts;
mod view;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Args;
use forebay_app::App;

use self::feed::Feed;
use super::Common;
use super::terminal::Failure;

/// Watch calls as they happen: replaced, passed, denied
///
/// Lists the calls of the agents that work here, and shows the selected one's digest beside its raw text. Without a
/// terminal, or with --once or --json, it prints one line per call.
#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Include other projects
    #[arg(long)]
    all: bool,
    /// Print the last calls and exit
    #[arg(long)]
    once: bool,
}

impl Watch {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut feed = self.feed(common)?;
        if self.once || common.json || !is_interactive() {
            let format = if common.json { lines::Format::Json } else { lines::Format::Text };
            lines::print(&mut feed, format, self.once)?;
        } else {
            screen::show(feed)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn feed(&self, common: &Common) -> Result<Feed, Failure> {
        let cwd = common.working_folder()?;
        let settings = common.tolerant_settings(&super::project_root(&cwd))?;
        let app = common.app_with(settings, cwd.clone(), &cwd, "watch", "watch")?;
        // What a person reads fills no model's context.
        let app: App = app.on_behalf_of("watch", None);
        Ok(if self.all { Feed::of_all_projects(app)? } else { Feed::of_project(app) })
    }
}

/// Whether there is a terminal to draw on, and keys to read.
fn is_interactive() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}
