//! A released host of MCP Apps: the MCP inspector, which shows views in its own sandbox.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result};

use super::seed::Seed;
use crate::{npm, process};

/// Its version is pinned there.
const PACKAGE: &str = "xtask/inspector";
const PROGRAM: &str =
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// The inspector's web page, with `forebay mcp` as its server.
pub(super) struct AppsHost {
    child: Child,
    url: String,
}

impl AppsHost {
    pub(super) fn start(forebay: &Path, seed: &Seed) -> Result<Self> {
        let packages = npm::install(PACKAGE)?;
        let mut node = process::command("node");
        node.arg(packages.join(PROGRAM)).arg("--web");
        node.arg("-e").arg(format!("FOREBAY_HOME={}", seed.data().display()));
        node.arg("-e").arg(format!("HOME={}", seed.home().display()));
        node.arg("--cwd").arg(seed.project()).arg("--").arg(forebay).arg("mcp");
        node.env("HOME", seed.home()).env("MCP_AUTO_OPEN_ENABLED", "false");
        // It listens on loopback, for this check only.
        node.env("DANGEROUSLY_OMIT_AUTH", "true");
        node.env("CLIENT_PORT", free_port()?).env("MCP_SANDBOX_PORT", free_port()?);
        let mut child =
            node.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = BufReader::new(child.stdout.take().context("the inspector's stdout")?);
        let mut lines = stdout.lines().map_while(std::io::Result::ok);
        let url = lines
            .find_map(|line| line.trim().starts_with("http://").then(|| line.trim().to_owned()));
        let mut host = Self { child, url: String::new() };
        host.url = url.context("the inspector does not start")?;
        // What it goes on to print is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(host)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for AppsHost {
    fn drop(&mut self) {
        // Fails only if the process has ended already. Its servers end with their stdin.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> Result<String> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port().to_string())
}
