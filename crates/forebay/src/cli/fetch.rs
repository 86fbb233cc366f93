//! `forebay fetch`: fetches pages of the web and makes them searchable.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::json;

use super::terminal::Failure;
use super::{Common, terminal};

/// Fetch web pages and make them searchable
///
/// HTML becomes markdown, a PDF its text. A page that was fetched within a day is not fetched again.
/// Only public addresses that no permission rule denies are reached.
#[derive(Debug, Args)]
pub(super) struct Fetch {
    /// Up to eight addresses
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// Fetch it again, also when it is fresh
    #[arg(long)]
    force: bool,
}

impl Fetch {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let call = Call::default().asking(terminal::ask);
        let input = json!({ "urls": self.urls, "force": self.force });
        let answer = app.call("ctx_fetch_and_index", input, &call)?;
        terminal::tell_notices(&app)?;
        common.show(&answer)
    }
}
