//! `forebay init --undo` restores the files of an agent's user byte for byte.

use anyhow::Result;

use super::agent_env::AgentEnv;
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::ScriptedModel;
use super::{CheckResult, excerpt};
use crate::snapshot::Snapshot;

/// Sets an agent up and undoes it, once for the user and once for the project.
pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let user = fixture.env(host, "undo")?;
    let project = fixture.env(host, "undo project")?.without_forebay();
    Ok(vec![
        restores(&user, "undo restores the user's files")?,
        restores(&project, "undo restores the project's files")?,
    ])
}

fn restores(env: &AgentEnv<'_>, name: &'static str) -> Result<CheckResult> {
    env.write_files(&ScriptedModel::start()?)?;
    let before = Snapshot::take(env.root())?;
    env.init(&[])?;
    let changed = Snapshot::take(env.root())?;
    env.init(&["--undo"])?;
    let mut differing = before.differences(&Snapshot::take(env.root())?);
    let data = env.root().join("data").display().to_string();
    differing.retain(|path| !path.starts_with(&data));
    Ok(CheckResult {
        name,
        passed: differing.is_empty() && changed != before,
        detail: excerpt(&differing.join(" ")),
    })
}
