//! `forebay purge`: deletes entries, after a dry run.

use std::process::ExitCode;

use clap::Args;
use forebay_app::tools::Tool;
use forebay_app::tools::purge::{self, Input};
use forebay_app::{AppError, Call};

use super::Common;
use super::terminal::Failure;

/// Delete entries; without --yes only shows what would be deleted
///
/// Conditions are combined with AND: --source 'docs/*' --older-than-days 7 deletes old entries of docs.
#[derive(Debug, Args)]
pub(super) struct Purge {
    /// References of entries
    #[arg(value_name = "REFERENCE")]
    references: Vec<String>,
    /// Entries whose source matches this glob
    #[arg(long, value_name = "GLOB")]
    source: Option<String>,
    /// Entries of one session
    #[arg(long, value_name = "KEY")]
    of_session: Option<String>,
    /// Entries older than this
    #[arg(long, value_name = "DAYS")]
    older_than_days: Option<u64>,
    /// Entries past their retention time (see `forebay config`)
    #[arg(long)]
    expired: bool,
    /// The whole project
    #[arg(long)]
    everything: bool,
    /// Delete without asking again
    #[arg(short, long)]
    yes: bool,
}

impl Purge {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        if self.selects_nothing() {
            let conditions = "give references, --source, --of-session, --older-than-days, --expired or --everything";
            return Err(AppError::bad_input("nothing is selected", conditions).into());
        }
        let app = common.app()?;
        let yes = self.yes;
        let input = self.into_input();
        let (preview, count) = purge::dry_run(&app, &input, "the same with --yes")?;
        if !yes {
            return common.show(&preview);
        }
        let confirmed = Input { confirm: Some(count), ..input };
        common.show(&purge::Purge::call(&app, confirmed, &Call::default())?)
    }

    fn selects_nothing(&self) -> bool {
        self.references.is_empty()
            && self.source.is_none()
            && self.of_session.is_none()
            && self.older_than_days.is_none()
            && !self.expired
            && !self.everything
    }

    fn into_input(self) -> Input {
        Input {
            refs: self.references,
            source: self.source,
            session: self.of_session,
            older_than_days: self.older_than_days,
            expired: self.expired,
            everything: self.everything,
            confirm: None,
        }
    }
}
