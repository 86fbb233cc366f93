//! An agent of a teammate, who has the project's files and not Forebay, works as before.

use anyhow::Result;

use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{self, ScriptedModel};
use super::{CheckResult, excerpt};

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "without")?.without_forebay();
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    let prompt = format!("{}: run the command you were asked for", model::SHELL_PROMPT);
    env.prompt(&model, &prompt, false)?;
    let exchanges = model.drain();
    env.save_requests("teammate", &exchanges)?;
    let result = model::longest_results(&exchanges).first().cloned().unwrap_or_default();
    let has_hook_error = result.to_lowercase().contains("hook");
    Ok(vec![CheckResult {
        name: "without Forebay, a project's files do no harm",
        passed: result.contains(model::SHELL_OUTPUT) && !has_hook_error,
        detail: excerpt(&result),
    }])
}
