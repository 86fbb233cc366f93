//! A `forebay serve` process that is killed when dropped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts a `forebay serve` command and waits until it listens.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().context("the server's stdout")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let url = line.split(' ').find(|word| word.contains("://"));
        let url = url.with_context(|| format!("the server does not listen: {line}"))?.to_owned();
        Ok(Self { child, url })
    }

    /// Returns the base URL: `http://127.0.0.1:40001`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the URL without its scheme: `127.0.0.1:40001`.
    pub(crate) fn address(&self) -> &str {
        self.url.split("://").nth(1).unwrap_or_default()
    }

    /// Returns the process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process, as a crash would end it.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails only if the process has ended already.
        let _ = self.kill();
    }
}
