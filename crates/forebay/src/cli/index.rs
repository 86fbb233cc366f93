//! `forebay index`: makes documents searchable.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::jsonl;
use indicatif::ProgressBar;

use super::terminal::Failure;
use super::{Common, input, progress};

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
        // Stdin has no size, and so no bar.
        let bar = match fs::metadata(&self.jsonl) {
            Ok(metadata) => progress::bar("indexing", metadata.len()),
            Err(_) => ProgressBar::hidden(),
        };
        let mut lines = input::open(&self.jsonl)?;
        let answer =
            jsonl::index(&app, &mut lines, &self.source, &mut |read| bar.set_position(read))?;
        bar.finish_and_clear();
        common.show(&answer)
    }
}
