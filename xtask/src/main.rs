//! Project tasks and repository rules: `cargo xtask <task>`.
//!
//! One module per task. [`mod@test`] is what the README and CI run; it calls the others.

mod bench;
mod browser;
mod clean_system;
mod clients;
mod conformance;
mod console;
mod digest_model;
mod dist;
mod docs;
mod faults;
mod fuzz;
mod inspector;
mod installation;
mod mcp_client;
mod npm;
mod postgres;
mod process;
mod python;
mod rules;
mod sbom;
mod server;
mod snapshot;
mod spelling;
mod system_packages;
mod test;
mod tools;
mod workflows;
mod workspace;
mod wrap;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// Project tasks of Forebay
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    Test(test::Test),
    Rules(rules::Rules),
    Spelling(spelling::Spelling),
    Docs(docs::Docs),
    Inspector(inspector::Inspector),
    Bench(bench::Bench),
    Browser(browser::Browser),
    DigestModel(digest_model::DigestModel),
    Dist(dist::Dist),
    Faults(faults::Faults),
    Fuzz(fuzz::Fuzz),
    Clients(clients::Clients),
    Conformance(conformance::Conformance),
    Examples(clients::examples::Examples),
    Probe(clients::probe::Probe),
    Postgres(postgres::Postgres),
    Sbom(sbom::Sbom),
    Workflows(workflows::Workflows),
    Wrap(wrap::Wrap),
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::warning(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Test(test) => test.run(),
        Task::Rules(rules) => rules.run(),
        Task::Spelling(spelling) => spelling.run(),
        Task::Docs(docs) => docs.run(),
        Task::Inspector(inspector) => inspector.run(),
        Task::Bench(bench) => bench.run(),
        Task::Browser(browser) => browser.run(),
        Task::DigestModel(model) => model.run(),
        Task::Dist(dist) => dist.run(),
        Task::Faults(faults) => faults.run(),
        Task::Fuzz(fuzz) => fuzz.run(),
        Task::Clients(clients) => clients.run(),
        Task::Conformance(conformance) => conformance.run(),
        Task::Examples(examples) => examples.run(),
        Task::Probe(probe) => probe.run(),
        Task::Postgres(postgres) => postgres.run(),
        Task::Sbom(sbom) => sbom.run(),
        Task::Workflows(workflows) => workflows.run(),
        Task::Wrap(wrap) => wrap.run(),
    }
}
