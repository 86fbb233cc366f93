//! `forebay report`: what was measured and replayed, as a file to hand around.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::Answer;
use forebay_app::ledger::Ledger;
use forebay_app::replay::report::{Subject, html, markdown};
use forebay_domain::Timestamp;
use serde_json::json;

use super::replay::{Selection, write};
use super::terminal::Failure;
use super::{Common, stats};

/// Write what was saved here, and what `forebay replay` finds, as a document with plots
///
/// It has the figures of `forebay stats` by day, tool and recognizer, the comparison with held-out results, the replay of past
/// conversations, and for each the method and its limits. The file needs no network and no script; it contains figures and the
/// names of the project and of tools, no text of the conversations.
#[derive(Debug, Args)]
pub(super) struct Report {
    #[command(flatten)]
    selection: Selection,
    /// Measure only what happened since this age or date: 30d, 2026-01-31. The replay is of all conversations
    #[arg(long, value_name = "WHEN", value_parser = stats::parse_age_or_date)]
    since: Option<Timestamp>,
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
        let app = common.tolerant_app()?;
        let ledger = Ledger::read(&app, self.since)?;
        let replay = self.selection.replay(common)?;
        let subject = Subject { ledger: &ledger, replay: &replay };
        let mut written = Vec::new();
        if let Some(file) = self.files.html {
            write(common, &file, &html::render(subject))?;
            written.push(file);
        }
        if let Some(file) = self.files.md {
            write(common, &file, &markdown::render(subject))?;
            written.push(file);
        }
        let names: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
        let text = format!("wrote {}", names.join(" and "));
        common.show(&Answer::new(text, json!({ "written": names })))
    }
}
