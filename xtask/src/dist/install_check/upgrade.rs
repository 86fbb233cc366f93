//! From one version to the next and back while a session runs: nothing is lost, no path of a version is left, and in
//! the end the home folder is as before.
//!
//! The next version is the same program with another number, packed, listed and signed as a release is.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::OF_USER;
use crate::clean_system::CleanSystem;
use crate::dist::program::Program;
use crate::dist::release::{Release, Target};
use crate::dist::signatures::Keys;
use crate::dist::{checksums, tarball};
use crate::mcp_client::Client;
use crate::snapshot::Snapshot;

/// Where the program and the next release are in the system.
const FOREBAY: &str = "~/.local/bin/forebay";
const NEXT: &str = "/packages/next";

pub(super) fn check(system: &CleanSystem, release: &Release, target: &Target) -> Result<()> {
    system.reset_home(&OF_USER)?;
    let before = Snapshot::take(&system.home())?;
    system.run("FOREBAY_RELEASES=/packages sh /packages/install.sh")?;
    let next = next_version(&release.version);
    let key = publish(system, release, target, &next)?;
    system.run(&format!("{FOREBAY} init claude-code codex --yes"))?;
    let set_up = Snapshot::take(&system.home())?;

    let mut session = Session::start(system)?;
    session.write("before the upgrade")?;
    let upgrade = format!("FOREBAY_UPGRADE_KEY={key} {FOREBAY} upgrade --from {NEXT}");
    system.run(&upgrade).context("forebay upgrade")?;
    expect_version(system, &next)?;
    session.write("by the old program, beside the new one")?;
    session.expect_notice()?;
    let by_new = reference(&system.run(&format!("{FOREBAY} note by the new program"))?)?;
    system.run(&format!("{FOREBAY} upgrade --rollback")).context("forebay upgrade --rollback")?;
    expect_version(system, &release.version)?;
    session.write("after the way back")?;
    for reference in session.end()?.iter().chain([&by_new]) {
        system.run(&format!("{FOREBAY} get {reference}")).context("an entry is lost")?;
    }
    expect_no_stale_path(system, &set_up)?;

    system.run(&format!("{FOREBAY} uninstall --yes --purge-data"))?;
    let left = before.differences(&Snapshot::take(&system.home())?);
    ensure!(left.is_empty(), "the home is not as it was: {}", left.join(", "));
    Ok(())
}

/// A higher version of the same length, so that it fits into the program: its digits count up.
fn next_version(version: &str) -> String {
    let mut digits: Vec<u8> = version.bytes().collect();
    for digit in digits.iter_mut().rev().filter(|byte| byte.is_ascii_digit()) {
        if *digit < b'9' {
            *digit += 1;
            break;
        }
        *digit = b'0';
    }
    String::from_utf8_lossy(&digits).into_owned()
}

/// Packs and signs the next version with a key of its own, which is returned.
fn publish(system: &CleanSystem, release: &Release, target: &Target, next: &str) -> Result<String> {
    let folder = system.path(NEXT);
    fs::create_dir_all(&folder)?;
    let program = with_version(&system.home().join(".local/bin/forebay"), &release.version, next)?;
    let release = Release { version: next.to_owned(), ..release.clone() };
    tarball::write(&release, target, &program, &folder)?;
    fs::remove_file(&program.path)?;
    checksums::write(&release, &folder)?;
    let keys = Keys::generate()?;
    keys.sign(next, &folder)?;
    Ok(keys.public())
}

fn with_version(program: &Path, version: &str, next: &str) -> Result<Program> {
    let mut bytes = fs::read(program)?;
    let (from, to) = (version.as_bytes(), next.as_bytes());
    let found: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    let copy = program.with_file_name("next");
    fs::copy(program, &copy)?;
    fs::write(&copy, &bytes)?;
    let read = Program::read(copy)?;
    ensure!(read.version == next, "the program calls itself {}", read.version);
    Ok(read)
}

fn expect_version(system: &CleanSystem, version: &str) -> Result<()> {
    let printed = system.run(&format!("{FOREBAY} --version"))?;
    ensure!(
        printed.trim() == format!("forebay {version}"),
        "{version} is not installed: {printed}"
    );
    Ok(())
}

/// What agents start has not changed with the version, and is there.
fn expect_no_stale_path(system: &CleanSystem, set_up: &Snapshot) -> Result<()> {
    let of_agents = |path: &String| [".claude", ".codex"].iter().any(|name| path.contains(name));
    let mut changed = set_up.differences(&Snapshot::take(&system.home())?);
    changed.retain(of_agents);
    ensure!(changed.is_empty(), "an upgrade changed {}", changed.join(", "));
    let text = system.run(&format!("{FOREBAY} init claude-code codex --dry-run"))?;
    ensure!(text.contains("nothing to change"), "a path is stale: {text}");
    Ok(())
}

/// An agent's MCP session, which lives through the upgrade.
struct Session {
    client: Client,
    written: Vec<String>,
}

impl Session {
    fn start(system: &CleanSystem) -> Result<Self> {
        let client = Client::start_command(system.shell(&format!("exec {FOREBAY} mcp")))?;
        Ok(Self { client, written: Vec::new() })
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let run = self.client.call("ctx_execute", &json!({ "code": format!("echo '{text}'") }));
        let note = self.client.call("ctx_annotate", &json!({ "text": text }));
        for answer in [run, note] {
            self.written.push(reference(&answer.with_context(|| text.to_owned())?)?);
        }
        Ok(())
    }

    fn expect_notice(&mut self) -> Result<()> {
        let told = self.client.call("ctx_doctor", &json!({}))?;
        ensure!(told.contains("restart it to use that"), "the session does not tell: {told}");
        Ok(())
    }

    /// Ends the session; returns what it has written.
    fn end(self) -> Result<Vec<String>> {
        self.client.end()?;
        Ok(self.written)
    }
}

/// The first reference in an answer.
fn reference(answer: &str) -> Result<String> {
    let rest = answer.split_once("[ctx:").map(|(_, rest)| rest);
    let found = rest.and_then(|rest| rest.split_once(']')).map(|(reference, _)| reference);
    found.map(str::to_owned).with_context(|| format!("no reference in: {answer}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_version_has_the_same_length() {
        assert_eq!(next_version("0.1.0"), "0.1.1");
        assert_eq!(next_version("1.2.19"), "1.2.20");
        assert_eq!(next_version("0.9.9"), "1.0.0");
    }
}
