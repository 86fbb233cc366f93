//! `forebay peek`: skeletons of files and folders, or one symbol's body.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show what files offer, without bodies
///
/// Public types, functions and docs of each file, the most imported first. `forebay map` shows a
/// whole repository.
#[derive(Debug, Args)]
pub(super) struct Peek {
    /// Files, folders or globs
    #[arg(required = true)]
    paths: Vec<String>,
    /// The whole body of this symbol, e.g. Pool::new
    #[arg(short, long, value_name = "NAME")]
    symbol: Option<String>,
    /// Signatures alone, with first lines of docs, or with all docs
    #[arg(short, long, value_parser = ["minimal", "standard", "verbose"])]
    verbosity: Option<String>,
    /// The files they import, too
    #[arg(short, long)]
    deps: bool,
    /// Each item with its lines
    #[arg(short, long)]
    numbers: bool,
    /// Private items, too
    #[arg(short, long)]
    private: bool,
    /// Tokens the answer may have
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
}

impl Peek {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        // For a tool `.` is the repository; for a person it is the folder they are in.
        let here = common.working_folder()?.to_string_lossy().into_owned();
        let meant = |path: String| if path == "." { here.clone() } else { path };
        let paths: Vec<String> = self.paths.into_iter().map(meant).collect();
        common.ask(
            "context_peek",
            json!({
                "paths": paths,
                "symbol": self.symbol,
                "verbosity": self.verbosity,
                "deps": self.deps,
                "budget": self.budget,
                "line_numbers": self.numbers,
                "private": self.private,
            }),
        )
    }
}
