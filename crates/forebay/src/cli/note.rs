//! `forebay note`: stores a note.

use std::io::{self, Read};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Store a decision, finding or preference as a note
#[derive(Debug, Args)]
pub(super) struct Note {
    /// The text; - reads stdin
    #[arg(required = true)]
    text: Vec<String>,
    /// Kind of note
    #[arg(short, long, value_parser = ["note", "decision", "finding", "preference", "constraint", "todo"])]
    kind: Option<String>,
    /// Topic; a newer note on the same topic replaces an older one
    #[arg(short, long)]
    topic: Option<String>,
    /// The note this one replaces
    #[arg(long, value_name = "REFERENCE")]
    supersedes: Option<String>,
    /// For all projects
    #[arg(long)]
    all: bool,
    /// Personal: never shared with a team
    #[arg(long, conflicts_with = "all")]
    personal: bool,
    /// Show it first in every new session
    #[arg(long)]
    pin: bool,
}

impl Note {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut text = self.text.join(" ");
        if text == "-" {
            text.clear();
            io::stdin().read_to_string(&mut text)?;
        }
        common.call_tool(
            "ctx_annotate",
            json!({
                "text": text,
                "kind": self.kind,
                "topic": self.topic,
                "supersedes": self.supersedes,
                "scope": self.scope(),
                "pinned": self.pin.then_some(true),
            }),
        )
    }

    fn scope(&self) -> Option<&'static str> {
        match (self.all, self.personal) {
            (true, _) => Some("all"),
            (_, true) => Some("personal"),
            _ => None,
        }
    }
}
