//! `cargo xtask workflows`: checks the workflows in `.github` without running them.
//!
//! check-jsonschema compares them with their schema; zizmor looks for holes: templates in scripts, too many rights,
//! actions that are not pinned.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::test::Skips;
use crate::{process, python, workspace};

/// Check the workflows of CI and releases with check-jsonschema and zizmor
#[derive(Debug, Args)]
pub(crate) struct Workflows {}

const REQUIREMENTS: &str = "xtask/workflows/requirements.txt";
const FOLDER: &str = ".github/workflows";

impl Workflows {
    pub(crate) fn run(self) -> Result<()> {
        check(&install()?)
    }
}

/// Checks if Python and PyPI are available; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if !python::is_installed() {
        return skips.add("workflows", "python3 with venv is not installed");
    }
    match install() {
        Ok(programs) => check(&programs),
        Err(error) => skips.add("workflows", &format!("linters cannot be installed: {error:#}")),
    }
}

/// Returns the folder of the installed programs.
fn install() -> Result<PathBuf> {
    let python = python::install("workflows-python", REQUIREMENTS)?;
    Ok(python.parent().context("python is in a folder")?.to_owned())
}

fn check(programs: &Path) -> Result<()> {
    let mut schema = process::command(programs.join("check-jsonschema"));
    schema.args(["--builtin-schema", "vendor.github-workflows"]).args(files()?);
    process::run(schema.current_dir(workspace::root()))?;
    let mut zizmor = process::command(programs.join("zizmor"));
    zizmor.args(["--offline", "--quiet", "--min-severity", "low"]);
    zizmor.args(["--config", ".github/zizmor.yml", FOLDER]);
    process::run(zizmor.current_dir(workspace::root()))
}

fn files() -> Result<Vec<String>> {
    Ok(workspace::files()?.into_iter().filter(|path| path.starts_with(FOLDER)).collect())
}
