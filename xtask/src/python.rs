//! Python virtual environments below `target/`, with pinned packages from PyPI.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::workspace::Metadata;
use crate::{console, process, workspace};

/// Returns whether python3 can create virtual environments.
pub(crate) fn is_installed() -> bool {
    process::succeeds(process::command("python3").args(["-m", "venv", "--help"]))
}

/// Returns the interpreter of a virtual environment that has the packages of a requirements file.
///
/// `requirements` is relative to the repository root; `name` is the environment's folder below `target/`.
pub(crate) fn install(name: &str, requirements: &str) -> Result<PathBuf> {
    let folder = Metadata::read()?.target_directory.join(name);
    let source = workspace::root().join(requirements);
    let pinned = fs::read_to_string(&source)?;
    // Written last, so an interrupted installation does not pass for a complete one.
    let marker = folder.join("requirements.txt");
    let python = folder.join("bin/python");
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == pinned) {
        return Ok(python);
    }
    console::line(format!("installing {requirements} with pip"));
    process::stdout(process::command("python3").args(["-m", "venv"]).arg(&folder))?;
    let mut pip = process::command(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(source);
    process::stdout(&mut pip).with_context(|| format!("pip cannot install {requirements}"))?;
    fs::write(marker, pinned)?;
    Ok(python)
}
