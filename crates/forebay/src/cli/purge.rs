//! `forebay purge`: deletes entries, after a dry run.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::{Value, json};

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
        let app = common.app()?;
        let told = app.call("ctx_purge", self.input(None), &Call::default())?;
        let counted = |name: &str| told.data[name].as_u64().unwrap_or_default();
        let count = counted("entries") + counted("events");
        if !self.yes {
            // At a terminal a flag confirms; the answer's last line addresses a model.
            let mut told = told;
            told.text = told
                .text
                .replace(&format!("the same call with confirm={count}"), "the same with --yes");
            return common.show(&told);
        }
        let done = app.call("ctx_purge", self.input(Some(count)), &Call::default())?;
        common.show(&done)
    }

    fn input(&self, confirm: Option<u64>) -> Value {
        json!({
            "refs": self.references,
            "source": self.source,
            "session": self.of_session,
            "older_than_days": self.older_than_days,
            "expired": self.expired,
            "everything": self.everything,
            "confirm": confirm,
        })
    }
}
