//! `forebay redact`: copies stdin to stdout without secrets.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use clap::Args;
use forebay_redact::{Redactions, Redactor};
use serde_json::{Map, Value, json};

use super::Common;
use super::terminal::Failure;
use crate::config::environment;

/// Redact secrets from stdin to stdout; store nothing
///
/// Everything else passes byte for byte, line by line as it arrives. A summary goes to stderr. Values of
/// environment variables with secret names (*_TOKEN, *_PASSWORD ...) are replaced too.
#[derive(Debug, Args)]
pub(super) struct Redact {}

impl Redact {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let redactions = filter(&mut io::stdin().lock(), &mut io::stdout().lock())?;
        if !redactions.is_empty() {
            print_summary(&redactions, common.json)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Filters through a redactor; each line is written as soon as it is complete.
fn filter(from: &mut impl Read, to: &mut impl Write) -> io::Result<Redactions> {
    let mut redactor = Redactor::with_values(environment::all());
    let mut buffer = vec![0; 256 * 1024];
    let mut clean = Vec::new();
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        redactor.push(&buffer[..count], &mut |piece| clean.extend_from_slice(piece));
        to.write_all(&clean)?;
        to.flush()?;
        clean.clear();
    }
    let redactions = redactor.finish(&mut |piece| clean.extend_from_slice(piece));
    to.write_all(&clean)?;
    to.flush()?;
    Ok(redactions)
}

/// Prints the summary to stderr, because stdout carries the text.
fn print_summary(redactions: &Redactions, as_json: bool) -> io::Result<()> {
    let mut stderr = anstream::stderr().lock();
    if !as_json {
        return writeln!(stderr, "{redactions}");
    }
    let counts: Map<String, Value> =
        redactions.iter().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
    writeln!(stderr, "{}", json!({ "redacted": counts }))
}
