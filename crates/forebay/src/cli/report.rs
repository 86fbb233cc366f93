//! `forebay report`: a replay as a file to hand around.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::Answer;
use forebay_app::replay::report::{html, markdown};
use serde_json::json;

use super::Common;
use super::replay::{Selection, write};
use super::terminal::Failure;

/// Write what `forebay replay` finds as a document with plots, the method and its limits
///
/// The file needs no network and no script. It contains figures and the names of tools, no text of the conversations.
#[derive(Debug, Args)]
pub(super) struct Report {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    files: Files,
}

/// Where the document is written to, by format.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Files {
    /// Write one self-contained HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write Markdown
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let replay = self.selection.replay(common)?;
        let mut written = Vec::new();
        if let Some(file) = self.files.html {
            write(common, &file, &html::render(&replay))?;
            written.push(file);
        }
        if let Some(file) = self.files.md {
            write(common, &file, &markdown::render(&replay))?;
            written.push(file);
        }
        let names: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
        let text = format!("wrote {}", names.join(" and "));
        common.show(&Answer::new(text, json!({ "written": names })))
    }
}
