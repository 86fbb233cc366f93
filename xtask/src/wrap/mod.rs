//! `cargo xtask wrap`: drives MCP servers from npm with and without `forebay wrap`.
//!
//! Every message of the server must arrive as the server wrote it; only long results may differ, and they must be digests.
//! The servers are pinned in `xtask/wrap/package-lock.json`.

mod connection;
mod servers;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

use self::connection::{Connection, Exchange};
use self::servers::{SERVERS, Server};
use crate::installation::Installation;
use crate::test::Skips;
use crate::workspace::Metadata;
use crate::{console, npm, workspace};

/// Drive MCP servers from npm with and without `forebay wrap`, and compare what arrives
#[derive(Debug, Args)]
pub(crate) struct Wrap {}

impl Wrap {
    pub(crate) fn run(self) -> Result<()> {
        check()
    }
}

/// Checks if npm can reach its registry; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if npm::is_installed() && npm::can_reach_registry() {
        return check();
    }
    skips.add("wrap", "npm is not installed or cannot reach its registry")
}

fn check() -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let packages = npm::install("xtask/wrap")?;
    let env = Installation::new(&forebay, &Metadata::read()?.target_directory)?;
    SERVERS.iter().try_for_each(|server| {
        compare(&env, &packages, server).with_context(|| format!("server {}", server.name))
    })
}

fn compare(env: &Installation, packages: &Path, server: &Server) -> Result<()> {
    let folder = env.project().join(server.name);
    let Some(command) = server.command(packages, &folder) else {
        console::warning(format!("{} is left out: Chromium is not installed", server.name));
        return Ok(());
    };
    let direct = run(server, &folder, || Connection::start_program(&command, &folder))?;
    let wrap: Vec<&str> = ["wrap", "--name", server.name, "--"]
        .into_iter()
        .chain(command.iter().map(String::as_str))
        .collect();
    let wrapped = run(server, &folder, || Connection::start(env.forebay(&wrap), &folder))?;
    ensure!(direct.len() == wrapped.len(), "{} exchanges against {}", direct.len(), wrapped.len());
    for (direct, wrapped) in direct.iter().zip(&wrapped) {
        if is_long(direct) {
            check_digest(server, direct, wrapped)?;
        } else {
            ensure!(
                without_times(&direct.received) == without_times(&wrapped.received),
                "{}\nwithout: {:?}\nwith:    {:?}",
                direct.request,
                direct.received,
                wrapped.received
            );
        }
    }
    let long = direct.iter().filter(|exchange| is_long(exchange)).count();
    ensure!(long > 0, "no result was long");
    console::line(format!(
        "ok   {:<12} {} answers as without, {long} digested",
        server.name,
        direct.len() - long
    ));
    Ok(())
}

/// Sends all requests of a server to a new connection in an empty folder.
fn run(
    server: &Server,
    folder: &Path,
    connect: impl FnOnce() -> Result<Connection>,
) -> Result<Vec<Exchange>> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let mut connection = connect()?;
    let exchanges = (server.requests)(folder)
        .iter()
        .map(|(method, params)| connection.exchange(method, params))
        .collect::<Result<Vec<_>>>()?;
    connection.end()?;
    Ok(exchanges)
}

/// Longer results of tools are digested by default.
const MAX_UNCHANGED_BYTES: usize = 8_000;

fn is_long(exchange: &Exchange) -> bool {
    let bytes: usize = exchange.received.iter().map(String::len).sum();
    exchange.request.contains("tools/call") && bytes > MAX_UNCHANGED_BYTES
}

/// Lines without what names files that a browser writes by the time of day.
fn without_times(lines: &[String]) -> Vec<String> {
    let is_of_time = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | 'T' | 'Z');
    let one = |line: &String| {
        let mut pieces = line.split("page-");
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |line, piece| line + "page-" + piece.trim_start_matches(is_of_time))
    };
    lines.iter().map(one).collect()
}

fn check_digest(server: &Server, direct: &Exchange, wrapped: &Exchange) -> Result<()> {
    let answer = wrapped.received.last().context("no answer")?;
    let message: Value = serde_json::from_str(answer)?;
    let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
    let bytes: usize = direct.received.iter().map(String::len).sum();
    ensure!(text.contains("[ctx:") && text.len() * 3 < bytes, "no digest: {answer}");
    let hidden = server.shown.iter().find(|shown| !text.contains(**shown));
    ensure!(hidden.is_none(), "no {hidden:?}: {text}");
    Ok(())
}
