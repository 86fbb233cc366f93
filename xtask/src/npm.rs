//! Installs npm programs, pinned with their dependencies by a `package-lock.json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::Metadata;
use crate::{console, process, workspace};

const FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// Returns whether node and npm are installed.
pub(crate) fn is_installed() -> bool {
    process::succeeds(process::command("node").arg("--version"))
        && process::succeeds(&mut npm(&["--version"]))
}

/// Returns whether npm can reach its registry.
pub(crate) fn can_reach_registry() -> bool {
    process::succeeds(&mut npm(&["view", "@modelcontextprotocol/conformance", "version"]))
}

/// Installs the packages pinned in `pinned`, a folder of this repository, unless they are installed already.
///
/// Returns the folder below `target/` that contains `node_modules`.
pub(crate) fn install(pinned: &str) -> Result<PathBuf> {
    let source = workspace::root().join(pinned);
    let folder = Metadata::read()?.target_directory.join("npm").join(pinned.replace('/', "-"));
    let is_current = FILES.iter().all(|name| is_same(&source, &folder, name));
    if folder.join("node_modules").is_dir() && is_current {
        return Ok(folder);
    }
    console::line(format!("installing {pinned} with npm"));
    fs::create_dir_all(&folder)?;
    // An interrupted installation must not pass for a complete one.
    let _ = fs::remove_dir_all(folder.join("node_modules"));
    for name in FILES.iter().filter(|name| source.join(name).exists()) {
        fs::copy(source.join(name), folder.join(name))?;
    }
    // Not `npm ci`: it requires the lock file's packages for every platform, which a mirror may lack.
    let mut npm =
        npm(&["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    process::stdout(npm.current_dir(&folder))
        .with_context(|| format!("npm cannot install {pinned}"))?;
    Ok(folder)
}

fn is_same(one: &Path, other: &Path, name: &str) -> bool {
    fs::read(one.join(name)).ok() == fs::read(other.join(name)).ok()
}

fn npm(arguments: &[&str]) -> Command {
    let mut npm = process::command("npm");
    npm.args(arguments);
    npm
}
