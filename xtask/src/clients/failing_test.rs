//! A failing `cargo test` of 20,000 lines: its digest with the error at its end reaches the model of every agent.

use std::fs;

use anyhow::Result;

use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{self, ScriptedModel};
use super::{CheckResult, claude_mod, excerpt};

const SCRIPT: &str = include_str!("failing_test.sh");
/// Where agents cut the output of a failing command before hooks see it, Forebay runs the command.
const SETTINGS: &str = "hooks.whole_output = true\n";
/// What the model must learn: the outcome, the test, the place and the values.
const FACTS: &[&str] = &[
    "cargo test: 20,000 passed, 1 failed",
    "discount_is_a_percentage",
    "src/lib.rs:20:9",
    "left: 500",
    "right: 950",
];
/// The digest is a small part of the 600,000 bytes of output.
const MAX_BYTES: usize = 6_000;

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "failing")?;
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.write_forebay_settings(SETTINGS)?;
    let script = env.project().join(model::FAILING_PROGRAM);
    fs::write(&script, SCRIPT)?;
    claude_mod::make_executable(&script)?;
    env.prompt(&model, &format!("{}: run the tests", model::FAILING_PROMPT), false)?;
    let exchanges = model.drain();
    env.save_requests("failing", &exchanges)?;
    let result = model::longest_results(&exchanges).first().cloned().unwrap_or_default();
    let missing: Vec<&str> = FACTS.iter().copied().filter(|fact| !result.contains(fact)).collect();
    let passed = result.contains("[ctx:") && result.len() < MAX_BYTES && missing.is_empty();
    let detail = format!("{} bytes, missing {missing:?}: {}", result.len(), excerpt(&result));
    Ok(vec![CheckResult { name: "a failing test of 20,000 lines has its error", passed, detail }])
}
