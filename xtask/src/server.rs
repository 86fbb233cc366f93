//! A `forebay serve` that ends with what uses it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts a command that is `forebay serve`, and waits until it listens.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().context("the server's stdout")?);
        let mut told = String::new();
        stdout.read_line(&mut told)?;
        let url = told.split(' ').find(|word| word.contains("://"));
        let url = url.with_context(|| format!("the server does not listen: {told}"))?.to_owned();
        Ok(Self { child, url })
    }

    /// Where it listens: `http://127.0.0.1:40001`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The same without `http://`.
    pub(crate) fn address(&self) -> &str {
        self.url.split("://").nth(1).unwrap_or_default()
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ended already, or ended by this.
        let _ = self.kill();
    }
}
