//! `forebay fetch`: fetches and indexes web pages.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::json;

use super::terminal::Failure;
use super::{Common, terminal};

/// Fetch web pages and make them searchable
///
/// HTML is converted to Markdown, PDF to text. A page fetched within a day is not fetched again.
/// Only public addresses that no permission rule denies are contacted.
#[derive(Debug, Args)]
pub(super) struct Fetch {
    /// Up to eight URLs
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// Fetch again even if the cached page is fresh
    #[arg(long)]
    force: bool,
}

impl Fetch {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let call = Call::default().prompting_with(terminal::ask);
        let input = json!({ "urls": self.urls, "force": self.force });
        let answer = app.call("ctx_fetch_and_index", input, &call)?;
        terminal::tell_notices(&app)?;
        common.show(&answer)
    }
}
