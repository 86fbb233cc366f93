//! `cargo xtask test`: runs every check on a clean checkout, as CI does.

mod changed_crates;
mod skips;

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use forebay_test_support::is_ci;

pub(crate) use self::skips::Skips;
use crate::postgres::Servers;
use crate::{
    browser, clients, conformance, console, digest_model, docs, inspector, process, rules,
    spelling, system_packages, workflows, workspace, wrap,
};

/// Run every check: rules, spelling, lints, tests, documentation, reference, clients
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Only rules, and lints and tests of the crates that differ from the main branch, without PostgreSQL
    #[arg(long)]
    quick: bool,
}

/// A named check.
struct Step {
    name: &'static str,
    check: fn(&mut Skips) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", check: |_| install_tools() },
    Step { name: "rules", check: |_| rules::check() },
    Step { name: "spelling", check: spelling::check_if_available },
    Step { name: "workflows", check: workflows::check_if_available },
    Step { name: "digest model", check: |_| digest_model::check() },
    Step { name: "lints", check: |_| lint(&["--workspace"]) },
    Step { name: "tests", check: test },
    Step { name: "documentation", check: |_| document() },
    Step { name: "book", check: docs::check },
    Step { name: "inspector", check: inspector::check_if_available },
    Step { name: "wrap", check: wrap::check_if_available },
    Step { name: "browser", check: browser::check_if_available },
    Step { name: "conformance", check: conformance::check_if_available },
    Step { name: "examples", check: clients::examples::check_if_available },
    Step { name: "clients", check: clients::check_if_available },
];

/// A feature that changes what released programs contain.
const PACKED_GRAMMARS: &[&str] = &["--package", "forebay-grammars", "--features", "packed"];

const QUICK_STEPS: &[Step] = &[
    Step { name: "rules", check: |_| rules::check() },
    Step { name: "changed crates", check: check_changed_crates },
];

impl Test {
    pub(crate) fn run(self) -> Result<()> {
        ensure!(!(self.quick && is_ci()), "CI runs every check: `cargo xtask test`");
        let started = Instant::now();
        let mut skips = Skips::new()?;
        let steps = if self.quick { QUICK_STEPS } else { STEPS };
        steps.iter().try_for_each(|step| run_step(step, &mut skips))?;
        let skipped = if self.quick { skips.summary() } else { skips.report() };
        let elapsed = console::duration(started.elapsed());
        console::line(format!("\nall checks passed in {elapsed}; {skipped}"));
        ensure!(!is_ci() || skips.count() == 0, "{} checks were skipped in CI", skips.count());
        Ok(())
    }
}

fn run_step(step: &Step, skips: &mut Skips) -> Result<()> {
    console::heading(step.name);
    let started = Instant::now();
    (step.check)(skips).with_context(|| format!("step `{}`", step.name))?;
    console::line(format!("-- {}: {}", step.name, console::duration(started.elapsed())));
    Ok(())
}

/// Installs toolchain components that a minimal toolchain lacks, and the runtimes that tests run.
fn install_tools() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !process::succeeds(&mut cargo(&[subcommand, "--version"])) {
            process::run(process::command("rustup").args(["component", "add", component]))?;
        }
    }
    system_packages::install_missing();
    Ok(())
}

/// Runs clippy on the given packages.
fn lint(packages: &[&str]) -> Result<()> {
    let mut clippy = cargo(&["clippy", "--all-targets", "--locked", "--quiet"]);
    process::run(clippy.args(packages).args(["--", "-D", "warnings"]))
}

/// Runs the doc tests and all other tests, on SQLite and PostgreSQL.
fn test(skips: &mut Skips) -> Result<()> {
    let servers = Servers::start_if_available(skips)?;
    if has_nextest() {
        // nextest runs no doc tests.
        run_tests(&["test", "--workspace", "--doc", "--quiet"], servers.as_ref(), skips)?;
    }
    let arguments = [test_runner(), &["--workspace", "--no-fail-fast"]].concat();
    run_tests(&arguments, servers.as_ref(), skips)?;
    run_tests(&[test_runner(), PACKED_GRAMMARS].concat(), servers.as_ref(), skips)?;
    list_ignored_tests()
}

/// Lints and tests the crates that differ from the main branch; tests on PostgreSQL are skipped.
fn check_changed_crates(skips: &mut Skips) -> Result<()> {
    let names = changed_crates::find()?;
    if names.is_empty() {
        console::line("no crate differs from the main branch");
        return Ok(());
    }
    console::line(names.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    let packages: Vec<&str> = names.iter().flat_map(|name| ["--package", name]).collect();
    lint(&packages)?;
    run_tests(&[test_runner(), &packages].concat(), None, skips)
}

/// Runs tests with cargo. A snapshot that differs fails; it is never updated here.
fn run_tests(arguments: &[&str], servers: Option<&Servers>, skips: &mut Skips) -> Result<()> {
    let mut cargo = cargo(arguments);
    cargo.arg("--locked").env("INSTA_UPDATE", "no");
    skips.configure(&mut cargo);
    if let Some(servers) = servers {
        servers.configure(&mut cargo);
    }
    let result = process::run(&mut cargo);
    skips.read_tests();
    result
}

fn document() -> Result<()> {
    let mut cargo = cargo(&["doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
    process::run(cargo.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Lists the tests marked `#[ignore]`: they are run by hand, never here.
fn list_ignored_tests() -> Result<()> {
    if !has_nextest() {
        return Ok(());
    }
    let mut list = cargo(&["nextest", "list", "--workspace", "--locked", "--run-ignored", "only"]);
    let text = process::stdout_text(list.args(["--message-format", "oneline"]))?;
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    console::line(format!("{} tests are marked #[ignore]: {}", names.len(), names.join(", ")));
    Ok(())
}

fn test_runner() -> &'static [&'static str] {
    if has_nextest() { &["nextest", "run"] } else { &["test"] }
}

fn has_nextest() -> bool {
    process::succeeds(&mut cargo(&["nextest", "--version"]))
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = process::cargo();
    cargo.args(arguments).current_dir(workspace::root());
    cargo
}
