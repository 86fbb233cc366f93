//! `cargo xtask test`: everything that must hold, from a clean checkout.

use std::env;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use crate::postgres::Servers;
use crate::{clients, conformance, docs, inspector, packages, rules, say, shell, workspace};

/// Check everything: format, lints, rules, tests, documentation, reference, inspector
#[derive(Debug, Args)]
pub(crate) struct Test {}

/// Something that must hold, and how it is found out.
struct Step {
    name: &'static str,
    check: fn() -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", check: install_tools },
    Step { name: "format", check: format },
    Step { name: "lints", check: lints },
    Step { name: "rules", check: rules::check },
    Step { name: "tests", check: tests },
    Step { name: "documentation", check: documentation },
    Step { name: "generated reference", check: docs::check },
    Step { name: "inspector", check: inspector::check_where_possible },
    Step { name: "conformance", check: conformance::check_where_possible },
    Step { name: "examples", check: clients::examples::check_where_possible },
    Step { name: "clients", check: clients::check_where_possible },
];

impl Test {
    pub(crate) fn carry_out(self) -> Result<()> {
        let started = Instant::now();
        STEPS.iter().try_for_each(take)?;
        say::line(format!("\nall holds, after {}", say::seconds(started.elapsed())));
        Ok(())
    }
}

fn take(step: &Step) -> Result<()> {
    say::heading(step.name);
    let started = Instant::now();
    (step.check)().with_context(|| format!("step `{}`", step.name))?;
    say::line(format!("-- {}: {}", step.name, say::seconds(started.elapsed())));
    Ok(())
}

/// Adds the parts of the toolchain that a minimal install lacks, and the languages the tests run.
fn install_tools() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !shell::works(cargo(&[subcommand, "--version"]).current_dir(workspace::root())) {
            shell::run(shell::command("rustup").args(["component", "add", component]))?;
        }
    }
    packages::install_missing();
    Ok(())
}

fn format() -> Result<()> {
    shell::run(&mut cargo(&["fmt", "--all", "--check"]))
}

fn lints() -> Result<()> {
    shell::run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))
}

/// A snapshot that differs is a failure here, never an update.
fn tests() -> Result<()> {
    let servers = Servers::start_where_possible()?;
    let run = |arguments: &[&str]| {
        let mut cargo = cargo(arguments);
        if let Some(servers) = &servers {
            servers.tell(&mut cargo);
        }
        shell::run(cargo.env("INSTA_UPDATE", "no"))
    };
    if !shell::works(&mut cargo(&["nextest", "--version"])) {
        say::line("cargo-nextest is not installed; cargo test does as well");
        return run(&["test", "--workspace", "--locked", "--no-fail-fast"]);
    }
    run(&["test", "--workspace", "--locked", "--doc", "--quiet"])?;
    run(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
}

fn documentation() -> Result<()> {
    let mut cargo = cargo(&["doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
    shell::run(cargo.env("RUSTDOCFLAGS", "-D warnings"))
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = shell::cargo();
    cargo.args(arguments).current_dir(workspace::root());
    cargo
}

/// Whether this runs unattended, where nothing may be skipped.
pub(crate) fn is_unattended() -> bool {
    env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}
