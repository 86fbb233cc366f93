//! `forebay peek`: skeletons of files and folders, or one symbol's body.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show skeletons of files: public items without bodies
///
/// Public types, functions and docs of each file, most imported first. `forebay map` shows a whole repository.
#[derive(Debug, Args)]
pub(super) struct Peek {
    /// Files, folders or globs
    #[arg(required = true)]
    paths: Vec<String>,
    /// Show the body of this symbol, e.g. Pool::new
    #[arg(short, long, value_name = "NAME")]
    symbol: Option<String>,
    /// Signatures only, with the first sentence of docs, or with full docs
    #[arg(short, long, value_parser = ["minimal", "standard", "verbose"])]
    verbosity: Option<String>,
    /// Include the files they import
    #[arg(short, long)]
    deps: bool,
    /// Leave out line numbers
    #[arg(long)]
    no_numbers: bool,
    /// Include private items
    #[arg(short, long)]
    private: bool,
    /// Token budget of the answer
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
}

impl Peek {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        // The tool takes `.` for the repository; at a terminal it is the current directory.
        let here = common.working_folder()?.to_string_lossy().into_owned();
        let meant = |path: String| if path == "." { here.clone() } else { path };
        let paths: Vec<String> = self.paths.into_iter().map(meant).collect();
        common.call_tool(
            "context_peek",
            json!({
                "paths": paths,
                "symbol": self.symbol,
                "verbosity": self.verbosity,
                "deps": self.deps,
                "budget": self.budget,
                "line_numbers": !self.no_numbers,
                "private": self.private,
            }),
        )
    }
}
