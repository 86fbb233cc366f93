//! `forebay fetch`: fetches and indexes web pages.

use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use serde_json::json;

use super::terminal::Failure;
use super::{Common, progress, terminal};

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
        let bar = progress::steps("fetching", "pages");
        let (shown, asked_over) = (bar.clone(), bar.clone());
        let call = Call::default()
            .prompting_with(move |question| asked_over.suspend(|| terminal::ask(question)))
            .reporting_to(move |step| progress::show(&shown, step));
        let input = json!({ "urls": self.urls, "force": self.force });
        let answer = app.call("ctx_fetch_and_index", input, &call);
        bar.finish_and_clear();
        let answer = answer?;
        terminal::tell_notices(&app)?;
        common.show(&answer)
    }
}
