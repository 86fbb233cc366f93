//! `forebay index`: indexes texts, files, folders and documents.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::Call;
use forebay_app::ingest::jsonl;
use indicatif::ProgressBar;
use serde_json::{Value, json};

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
                let call = Call::default().prompting_with(terminal::ask);
                let bar = progress::count("indexing");
                let shown = bar.clone();
                let call = call.reporting_to(move |bytes, what| {
                    shown.set_position(bytes as u64);
                    shown.set_message(what.to_owned());
                });
                let input = self.input(path.as_deref())?;
                let app = common.app()?;
                let answer = app.call("ctx_index", input, &call);
                bar.finish_and_clear();
                let answer = answer?;
                terminal::tell_notices(&app)?;
                let shown = common.show(&answer);
                common.index_all(&app)?;
                shown
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
        let answer = jsonl::index(&app, &mut lines, &source, &mut |read| bar.set_position(read))?;
        bar.finish_and_clear();
        let shown = common.show(&answer);
        common.index_all(&app)?;
        shown
    }
}
