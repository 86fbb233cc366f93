//! `forebay init --undo` restores the files of an agent's user byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use super::agent_env::AgentEnv;
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::ScriptedModel;
use super::{CheckResult, excerpt};

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
    let before = files(env)?;
    env.init(&[])?;
    let changed = files(env)?;
    env.init(&["--undo"])?;
    let after = files(env)?;
    let differing: Vec<String> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| path.display().to_string())
        .collect();
    Ok(CheckResult {
        name,
        passed: differing.is_empty() && changed != before,
        detail: excerpt(&differing.join(" ")),
    })
}

/// Every file of the home folder and the project, with its bytes.
fn files(env: &AgentEnv<'_>) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![env.home(), env.project()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
