//! `forebay redact`: what comes in on stdin goes out on stdout without its secrets.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use clap::Args;
use forebay_redact::{Redactions, Redactor};
use serde_json::{Map, Value, json};

use super::Common;
use super::terminal::Failure;
use crate::config::environment;

/// Replace secrets from stdin to stdout; store nothing
///
/// Everything else passes byte for byte, line by line as it arrives. What was replaced is told on
/// stderr. Values of environment variables that are named like secrets (*_TOKEN, *_PASSWORD ...) are
/// replaced too.
#[derive(Debug, Args)]
pub(super) struct Redact {}

impl Redact {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let redactions = filter(&mut io::stdin().lock(), &mut io::stdout().lock())?;
        if !redactions.is_empty() {
            tell(&redactions, common.json)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Passes everything through a redactor; a line is written as soon as it is whole.
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

/// Stdout is the text's, so this goes to stderr.
fn tell(redactions: &Redactions, as_json: bool) -> io::Result<()> {
    let mut stderr = anstream::stderr().lock();
    if !as_json {
        return writeln!(stderr, "{redactions}");
    }
    let counts: Map<String, Value> =
        redactions.iter().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
    writeln!(stderr, "{}", json!({ "redacted": counts }))
}
