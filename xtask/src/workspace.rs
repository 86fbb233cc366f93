//! The workspace as chores see it: its folders, its packages, its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// What `cargo metadata` tells, as far as anybody here asks.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) license: Option<String>,
    /// Where it was fetched from; nothing for a package of the workspace.
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`; nothing for a normal one.
    pub(crate) kind: Option<String>,
}

/// A text file of the repository.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Metadata {
    /// Asks cargo, for this machine's platform only, so that nothing is fetched that is not built.
    pub(crate) fn read() -> Result<Self> {
        let mut cargo = shell::cargo();
        cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]);
        cargo.arg(host()?).current_dir(root());
        serde_json::from_slice(&shell::output(&mut cargo)?).context("cargo metadata")
    }

    /// The packages of this workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.source.is_none())
    }
}

/// The folder that holds the workspace.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// Builds the `forebay` binary in a profile and gives its path.
pub(crate) fn build_forebay(profile: &str) -> Result<PathBuf> {
    let mut cargo = shell::cargo();
    cargo.args(["build", "--quiet", "--locked", "--package", "forebay", "--profile", profile]);
    shell::run(cargo.current_dir(root()))?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(Metadata::read()?.target_directory.join(folder).join("forebay"))
}

/// The files that git tracks or would track.
pub(crate) fn files() -> Result<Vec<String>> {
    let mut git = shell::command("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = shell::text(git.current_dir(root())).context("git lists the sources")?;
    let mut files: Vec<String> =
        listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// Those of the files that are text, read; what was deleted and is still listed is left out.
pub(crate) fn sources() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in files()? {
        let file = root().join(&path);
        if file.is_file()
            && let Ok(text) = String::from_utf8(fs::read(&file)?)
        {
            sources.push(Source { path, text });
        }
    }
    Ok(sources)
}

pub(crate) fn host() -> Result<String> {
    let told = shell::text(shell::command("rustc").args(["--version", "--verbose"]))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not tell its host")?.to_owned())
}
