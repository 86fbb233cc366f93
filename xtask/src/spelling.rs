//! `cargo xtask spelling`: runs codespell on everything that people write.
//!
//! codespell knows common misspellings, so identifiers and technical words pass. Words that are misspelled on
//! purpose (typo search, stems) are listed in `xtask/spelling/ignored-words.txt`.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::test::Skips;
use crate::{console, process, python, workspace};

/// Check the spelling of code and documentation with codespell
#[derive(Debug, Args)]
pub(crate) struct Spelling {}

const REQUIREMENTS: &str = "xtask/spelling/requirements.txt";
const IGNORED_WORDS: &str = "xtask/spelling/ignored-words.txt";
/// Folders of recorded or foreign text, and of text in other languages.
const FOREIGN_FOLDERS: &[&str] = &[
    "samples",
    "recorded",
    "snapshots",
    "cases",
    "transcripts",
    "fuzz/inputs",
    "model",
    "crates/forebay/tests/docs",
    "crates/forebay-app/src/guide/words",
    "evals/guide/dev",
    "evals/guide/heldout",
    "evals/guide/replacements",
];
/// Extensions of generated or recorded files.
const FOREIGN_EXTENSIONS: &[&str] = &["lock", "snap", "bin"];
const FOREIGN_FILES: &[&str] =
    &["package-lock.json", "test_vectors.json", "ignored-words.txt", "hook_guide.rs"];

impl Spelling {
    pub(crate) fn run(self) -> Result<()> {
        check()
    }
}

/// Checks if Python and PyPI are available; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if !python::is_installed() {
        return skips.add("spelling", "python3 with venv is not installed");
    }
    match install() {
        Ok(_) => check(),
        Err(error) => skips.add("spelling", &format!("codespell cannot be installed: {error:#}")),
    }
}

fn check() -> Result<()> {
    let python = install()?;
    let files: Vec<String> =
        workspace::files()?.into_iter().filter(|path| !is_foreign(path)).collect();
    let mut codespell = process::command(python);
    codespell.args(["-m", "codespell_lib", "--ignore-words", IGNORED_WORDS, "--"]).args(&files);
    let output = codespell
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .output()
        .context("cannot start codespell")?;
    let misspelled = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("misspelled words (deliberate ones belong in {IGNORED_WORDS}):\n{misspelled}");
    }
    console::line(format!("no misspelled word in {} files", files.len()));
    Ok(())
}

fn install() -> Result<std::path::PathBuf> {
    python::install("codespell", REQUIREMENTS)
}

/// Returns whether a file is recorded, generated, or written by others.
fn is_foreign(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_below = |foreign: &&str| format!("/{folder}/").contains(&format!("/{foreign}/"));
    FOREIGN_FOLDERS.iter().any(is_below)
        || FOREIGN_EXTENSIONS.contains(&extension)
        || FOREIGN_FILES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_not_checked() {
        for path in [
            "Cargo.lock",
            "xtask/inspector/package-lock.json",
            "crates/a/tests/samples/cargo/one.txt",
            "crates/forebay/tests/docs/ureq.txt",
        ] {
            assert!(is_foreign(path), "{path}");
        }
        for path in ["README.md", "crates/a/tests/it/samples.rs", "docs/guides/team.md"] {
            assert!(!is_foreign(path), "{path}");
        }
    }
}
