//! `forebay get`: reads what is stored under a reference.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use forebay_app::tools;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Show what is stored under a reference
#[derive(Debug, Args)]
pub(super) struct Get {
    /// [ctx:k3v9m2a1xq], with or without the brackets
    reference: String,
    /// Lines: 640-700, 640, 640- (to the end), -50 (the last 50); several with commas: 1-3,10-12
    #[arg(short, long, value_name = "RANGE", allow_hyphen_values = true)]
    lines: Option<String>,
    /// Only lines that match this regex as they are displayed; with --raw, as they are stored
    #[arg(short, long, value_name = "REGEX", allow_hyphen_values = true)]
    grep: Option<String>,
    /// Lines to show around each match
    #[arg(long, value_name = "LINES", requires = "grep")]
    context: Option<u64>,
    /// The JSON value at this pointer, e.g. /items/0
    #[arg(short = 'p', long, value_name = "POINTER")]
    pointer: Option<String>,
    /// Only this output stream of the run
    #[arg(long, value_parser = ["stdout", "stderr"])]
    stream: Option<String>,
    /// Continue where the previous page ended
    #[arg(long)]
    cursor: Option<String>,
    /// Token budget of a page
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Also look in other projects
    #[arg(long)]
    all: bool,
    /// Write the stored bytes unchanged
    #[arg(long, conflicts_with_all = ["lines", "pointer", "stream", "cursor", "budget"])]
    raw: bool,
}

impl Get {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let scope = self.all.then_some("all");
        if self.raw {
            return self.write_raw(common);
        }
        common.call_reader(
            "ctx_get",
            json!({
                "ref": self.reference,
                "lines": self.lines,
                "grep": self.grep,
                "context": self.context,
                "json": self.pointer,
                "stream": self.stream,
                "cursor": self.cursor,
                "budget": self.budget,
                "scope": scope,
            }),
        )
    }

    fn write_raw(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut stdout = io::stdout().lock();
        let mut written = Ok(());
        let app = common.tolerant_app()?;
        let input = tools::get::Input {
            r#ref: self.reference,
            grep: self.grep,
            scope: self.all.then(|| "all".to_owned()),
            ..tools::get::Input::default()
        };
        tools::get::raw(&app, &input, &mut |piece| {
            written = stdout.write_all(piece);
            written.is_ok()
        })?;
        written.and_then(|()| stdout.flush())?;
        Ok(ExitCode::SUCCESS)
    }
}
