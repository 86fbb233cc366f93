//! Programs from npm, pinned with all they need in a folder with a `package-lock.json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::Metadata;
use crate::{say, shell, workspace};

const FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// Whether node and npm are here.
pub(crate) fn is_here() -> bool {
    shell::works(shell::command("node").arg("--version")) && shell::works(&mut npm(&["--version"]))
}

/// Whether npm reaches a registry.
pub(crate) fn reaches_a_registry() -> bool {
    shell::works(&mut npm(&["view", "@modelcontextprotocol/conformance", "version"]))
}

/// Installs what `pinned`, a folder of this repository, asks for, unless it is there already; gives the folder
/// below `target/` that has it.
pub(crate) fn install(pinned: &str) -> Result<PathBuf> {
    let from = workspace::root().join(pinned);
    let folder = Metadata::read()?.target_directory.join("npm").join(pinned.replace('/', "-"));
    if folder.join("node_modules").is_dir()
        && FILES.iter().all(|name| is_same(&from, &folder, name))
    {
        return Ok(folder);
    }
    say::line(format!("installing {pinned} with npm"));
    fs::create_dir_all(&folder)?;
    // What is half installed is not taken for whole.
    let _ = fs::remove_dir_all(folder.join("node_modules"));
    for name in FILES.iter().filter(|name| from.join(name).exists()) {
        fs::copy(from.join(name), folder.join(name))?;
    }
    // Not `npm ci`: it wants the packages of every platform in the lock file, and a registry that is
    // a mirror may not have them.
    let mut npm =
        npm(&["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    shell::output(npm.current_dir(&folder)).with_context(|| format!("npm installs {pinned}"))?;
    Ok(folder)
}

fn is_same(one: &Path, other: &Path, name: &str) -> bool {
    fs::read(one.join(name)).ok() == fs::read(other.join(name)).ok()
}

fn npm(arguments: &[&str]) -> Command {
    let mut npm = shell::command("npm");
    npm.args(arguments);
    npm
}
