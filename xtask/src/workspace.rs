//! Reads the workspace: its root, its packages, its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process;

/// The part of `cargo metadata` that tasks use.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) license: Option<String>,
    /// The registry it comes from; `None` for a workspace member.
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`; `None` for a normal dependency.
    pub(crate) kind: Option<String>,
}

/// A text file of the repository.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Relative to the root, separated by `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Metadata {
    /// Runs `cargo metadata` for the host platform only, so that cargo fetches nothing that is not built.
    pub(crate) fn read() -> Result<Self> {
        let mut cargo = process::cargo();
        cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]);
        cargo.arg(host_triple()?).current_dir(root());
        serde_json::from_slice(&process::stdout(&mut cargo)?).context("cargo metadata")
    }

    /// Returns the workspace members.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.source.is_none())
    }
}

/// Returns the workspace root.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Builds the `forebay` binary with a cargo profile and returns its path.
pub(crate) fn build_forebay(profile: &str) -> Result<PathBuf> {
    let mut cargo = process::cargo();
    cargo.args(["build", "--quiet", "--locked", "--package", "forebay", "--profile", profile]);
    process::run(cargo.current_dir(root()))?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(Metadata::read()?.target_directory.join(folder).join("forebay"))
}

/// Copies the binary, as an installation does.
///
/// The pages that a linker wrote stay scattered in the page cache, which costs each process up to a millisecond.
pub(crate) fn installed_copy(forebay: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join("forebay");
    fs::copy(forebay, &copy)?;
    Ok(copy)
}

/// Lists the files that git tracks, and untracked files that it does not ignore.
pub(crate) fn files() -> Result<Vec<String>> {
    let mut git = process::command("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed =
        process::stdout_text(git.current_dir(root())).context("cannot list the sources")?;
    let mut files: Vec<String> =
        listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// Reads every listed file that is UTF-8 text; skips files that are deleted but still listed.
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

/// Returns the host's target triple.
pub(crate) fn host_triple() -> Result<String> {
    let version = process::stdout_text(process::command("rustc").args(["--version", "--verbose"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc --version --verbose prints no host")?.to_owned())
}
