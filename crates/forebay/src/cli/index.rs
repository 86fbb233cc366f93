//! `forebay index`: makes documents searchable.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::{AppError, jsonl};

use super::Common;
use super::progress;
use super::terminal::Failure;

/// Make documents searchable
///
/// Each line of the file is a JSON object: {"id", "title", "text", "ts"?}. Indexing a source again
/// replaces it.
#[derive(Debug, Args)]
pub(super) struct Index {
    /// A file of JSON lines; - for stdin
    #[arg(long, value_name = "FILE")]
    jsonl: PathBuf,
    /// The name to find, narrow and forget it by
    #[arg(long)]
    source: String,
}

impl Index {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let answer = if self.jsonl == Path::new("-") {
            jsonl::index(&app, &mut io::stdin().lock(), &self.source, &mut |_| {})?
        } else {
            let file = File::open(&self.jsonl).map_err(|error| unreadable(&self.jsonl, &error))?;
            let bar =
                progress::bar("indexing", file.metadata().map_or(0, |metadata| metadata.len()));
            let answer =
                jsonl::index(&app, &mut BufReader::new(file), &self.source, &mut |read| {
                    bar.set_position(read);
                })?;
            bar.finish_and_clear();
            answer
        };
        common.show(&answer)
    }
}

fn unreadable(file: &Path, error: &io::Error) -> AppError {
    AppError::bad_input(
        format!("{}: {error}", file.display()),
        "give a readable file, or - for stdin",
    )
}
