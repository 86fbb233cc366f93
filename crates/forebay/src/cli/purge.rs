//! `forebay purge`: forgets what was named, after telling what would go.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::{Value, json};

use super::Common;
use super::terminal::Failure;

/// Forget entries; without --yes only tells what would go
///
/// Conditions narrow each other: --source 'docs/*' --older-than-days 7 takes old entries of docs.
#[derive(Debug, Args)]
pub(super) struct Purge {
    /// References of single entries
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
    /// Entries past their keep time (see `forebay config`)
    #[arg(long)]
    expired: bool,
    /// The whole project
    #[arg(long)]
    everything: bool,
    /// Do it
    #[arg(short, long)]
    yes: bool,
}

impl Purge {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let told = app.call("ctx_purge", self.input(None), &Call::default())?;
        let counted = |name: &str| told.data[name].as_u64().unwrap_or_default();
        let count = counted("entries") + counted("events");
        if !self.yes || count == 0 {
            // A person confirms with a flag; the answer's last line speaks to a model.
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
