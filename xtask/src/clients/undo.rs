//! `forebay init --undo` restores the files of an agent's user byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::agent_env::{AgentEnv, Installation};
use super::hosts::Host;
use super::model::ScriptedModel;
use super::{CheckResult, excerpt};

/// Sets an agent up and undoes it, once for the user and once for the project.
pub(super) fn check(
    host: &'static Host,
    installation: &Installation,
    forebay: &Path,
    keep: Option<&Path>,
) -> Result<Vec<CheckResult>> {
    let user = format!("{} undo", host.label);
    let user = AgentEnv::in_folder(&user, host, installation, forebay, keep)?;
    let project = AgentEnv::without_forebay(host, installation, forebay, None)?;
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
