//! `forebay digest`: digests stdin without storing it.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use clap::Args;
use forebay_app::Settings;
use forebay_digest::{Budget, Digester, Hint};
use forebay_domain::tokens;
use serde_json::json;

use super::terminal::{self, Failure};
use super::{Common, digest_check, project_root};

/// Digest stdin to stdout; store nothing
#[derive(Debug, Args)]
pub(super) struct Digest {
    /// Token budget of the digest (a token is 4 bytes)
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// The command that produced the text
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// What you are looking for; matching lines come first
    #[arg(long, value_name = "TEXT")]
    intent: Option<String>,
    /// Add to each line why it is shown; the digest may then exceed its budget
    #[arg(long)]
    explain: bool,
    /// Instead, test your recognizers on their samples, and digests that were reported in the dashboard
    #[arg(long, conflicts_with_all = ["command", "intent", "explain"])]
    check: bool,
    /// Instead, delete the sample of a digest that was reported in the dashboard
    #[arg(long, value_name = "REF", conflicts_with_all = ["command", "intent", "explain", "check", "budget"])]
    forget: Option<String>,
}

impl Digest {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let settings = common.settings(&project_root(&common.working_folder()?))?;
        if let Some(reference) = &self.forget {
            return digest_check::forget(reference, common);
        }
        if self.check {
            return digest_check::run(self.budget, common);
        }
        let budget = self.budget(&settings);
        let hint = Hint {
            command: self.command.as_deref(),
            recognizers: Some(settings.recognizers.ready()),
            ..Hint::default()
        };
        let mut digester = Digester::new(hint, self.intent.as_deref(), budget);
        if self.explain {
            digester = digester.explaining();
        }
        read_into(&mut digester)?;
        let digest = digester.finish();
        if common.json {
            let left_out: Vec<_> =
                digest.omitted.iter().map(|gap| json!([gap.first, gap.last])).collect();
            terminal::print_json(&json!({
                "digest": digest.text,
                "verbatim": digest.verbatim,
                "lines": digest.lines,
                "bytes": digest.bytes,
                "left_out": left_out,
            }))?;
        } else {
            terminal::print_plain(&with_final_newline(digest.text, budget))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Digest {
    fn budget(&self, settings: &Settings) -> Budget {
        let usual =
            || Budget { verbatim: settings.digest.verbatim, digest: settings.digest.budget };
        self.budget.map_or_else(usual, Budget::exactly)
    }
}

/// Ends the text with a newline; a program that reads a digest as long as its budget gets no byte more.
fn with_final_newline(mut text: String, budget: Budget) -> String {
    let has_room = text.len() < tokens::to_bytes(budget.digest) || io::stdout().is_terminal();
    if has_room && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn read_into(digester: &mut Digester) -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match stdin.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => digester.push(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
