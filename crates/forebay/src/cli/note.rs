//! `forebay note`: writes a note down.

use std::io::{self, Read};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Common;
use super::terminal::Failure;

/// Write down a decision, a finding, a preference
#[derive(Debug, Args)]
pub(super) struct Note {
    /// The note; - reads it from stdin
    #[arg(required = true)]
    text: Vec<String>,
    /// What it is
    #[arg(short, long, value_parser = ["note", "decision", "finding", "preference", "constraint", "todo"])]
    kind: Option<String>,
    /// What it is about; a newer note on the topic replaces the older
    #[arg(short, long)]
    topic: Option<String>,
    /// The note this one replaces
    #[arg(long, value_name = "REFERENCE")]
    supersedes: Option<String>,
    /// For every project, not just this one
    #[arg(long)]
    all: bool,
    /// For yourself: it is never shared with a team
    #[arg(long, conflicts_with = "all")]
    personal: bool,
    /// Told first to every new session
    #[arg(long)]
    pin: bool,
}

impl Note {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut text = self.text.join(" ");
        if text == "-" {
            text.clear();
            io::stdin().read_to_string(&mut text)?;
        }
        common.ask(
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
