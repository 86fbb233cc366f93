//! `forebay index`: indexes texts, files, folders and documents.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::ingest::jsonl;
use forebay_app::{Answer, App, AppError, Call};
use forebay_sandbox::CancelToken;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::interrupt::cancel_on_interrupt;
use super::terminal::Failure;
use super::{Common, input, progress, terminal};

/// Make files, folders or texts searchable
///
/// A folder's files are indexed individually; hidden, binary and git-ignored files are skipped.
/// Indexing a source again updates only what changed. Searches notice files that change later.
#[derive(Debug, Args)]
pub(super) struct Index {
    /// A file or folder; - for stdin
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl")]
    path: Option<String>,
    /// Name of the source [default: the path]
    #[arg(long, required_if_eq("path", "-"), required_if_eq("jsonl", "-"))]
    source: Option<String>,
    /// Only files that match this glob
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files that match this glob
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// A file of JSON lines, each a document {"id", "title", "text", "ts"?}; - for stdin
    #[arg(long, value_name = "FILE")]
    jsonl: Option<PathBuf>,
}

impl Index {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        match (&self.jsonl, &self.path) {
            (Some(file), _) => self.index_documents(common, file),
            (None, path) => {
                let bar = progress::steps("indexing", "files");
                let shown = bar.clone();
                let asked_over = bar.clone();
                let call = Call::default()
                    .prompting_with(move |question| asked_over.suspend(|| terminal::ask(question)))
                    .reporting_to(move |step| progress::show(&shown, step));
                let input = self.input(path.as_deref())?;
                let app = common.app()?;
                cancel_on_interrupt(call.cancel.clone())?;
                let answer = app.call("ctx_index", input, &call);
                bar.finish_and_clear();
                finish(common, &app, answer, &call.cancel)
            }
        }
    }

    fn input(&self, path: Option<&str>) -> Result<Value, Failure> {
        if path == Some("-") {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            return Ok(json!({ "text": text, "source": self.source }));
        }
        Ok(json!({
            "path": path,
            "source": self.source,
            "globs": self.include,
            "exclude": self.exclude,
        }))
    }

    fn index_documents(&self, common: &Common, file: &Path) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        // Stdin has no known size, so there is no bar.
        let bar = match fs::metadata(file) {
            Ok(metadata) => progress::bar("indexing", metadata.len()),
            Err(_) => ProgressBar::hidden(),
        };
        let mut lines = input::open(file)?;
        let named_by_path = || file.to_string_lossy().into_owned();
        let source = self.source.clone().unwrap_or_else(named_by_path);
        let cancel = CancelToken::new();
        cancel_on_interrupt(cancel.clone())?;
        let answer = jsonl::index(&app, &mut lines, &source, &mut |read| {
            bar.set_position(read);
            !cancel.is_cancelled()
        });
        bar.finish_and_clear();
        finish(common, &app, answer, &cancel)
    }
}

/// Shows the answer and makes everything searchable, unless it was interrupted.
fn finish(
    common: &Common,
    app: &App,
    answer: Result<Answer, AppError>,
    cancel: &CancelToken,
) -> Result<ExitCode, Failure> {
    let answer = answer.map_err(|error| {
        if cancel.is_cancelled() { Failure::Interrupted(error) } else { Failure::Error(error) }
    })?;
    terminal::tell_notices(app)?;
    let shown = common.show(&answer);
    common.index_all_until(app, cancel)?;
    shown
}
