//! Chores and rules as code: `cargo xtask <chore>`.
//!
//! One file a chore. [`mod@test`] is what the README and continuous integration run; it calls the others.

mod bench;
mod clients;
mod conformance;
mod docs;
mod inspector;
mod npm;
mod packages;
mod postgres;
mod rules;
mod say;
mod server;
mod shell;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// Forebay's chores
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    Test(test::Test),
    Rules(rules::Rules),
    Docs(docs::Docs),
    Inspector(inspector::Inspector),
    Bench(bench::Bench),
    Clients(clients::Clients),
    Conformance(conformance::Conformance),
    Examples(clients::examples::Examples),
    Probe(clients::probe::Probe),
    Postgres(postgres::Postgres),
}

fn main() -> ExitCode {
    match carry_out(Chore::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::loudly(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn carry_out(chore: Chore) -> Result<()> {
    match chore {
        Chore::Test(test) => test.carry_out(),
        Chore::Rules(rules) => rules.carry_out(),
        Chore::Docs(docs) => docs.carry_out(),
        Chore::Inspector(inspector) => inspector.carry_out(),
        Chore::Bench(bench) => bench.carry_out(),
        Chore::Clients(clients) => clients.carry_out(),
        Chore::Conformance(conformance) => conformance.carry_out(),
        Chore::Examples(examples) => examples.carry_out(),
        Chore::Probe(probe) => probe.carry_out(),
        Chore::Postgres(postgres) => postgres.carry_out(),
    }
}
