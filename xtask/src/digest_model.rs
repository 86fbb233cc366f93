//! `cargo xtask digest-model`: tells how the trees of the line ranker were made, checks their hash, trains new ones.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::workspace::Metadata;
use crate::{console, process, python, workspace};

const MODEL: &str = "crates/forebay-digest/src/ranker/model.bin";
/// Written by training, beside the model.
const MANIFEST: &str = "crates/forebay-digest/src/ranker/model.toml";
const SCRIPT: &str = "evals/line-ranker/train.py";
const REQUIREMENTS: &str = "evals/line-ranker/requirements.txt";

/// Tell how the trees of the line ranker were made, and check their hash
#[derive(Debug, Args)]
pub(crate) struct DigestModel {
    /// Instead, train new trees on marked logs in these folders, see evals/line-ranker/README.md
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    train: Vec<PathBuf>,
}

/// How a model was made.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Hash of the model.
    blake3: String,
    /// The script that made it.
    script: String,
    /// What the script printed: the number of logs, and the figures by repository folds.
    printed: Vec<String>,
}

impl DigestModel {
    pub(crate) fn run(self) -> Result<()> {
        if !self.train.is_empty() {
            train(&self.train)?;
        }
        let manifest = check()?;
        console::line(format!(
            "{MODEL} (BLAKE3 {}) was made by {}:",
            manifest.blake3, manifest.script
        ));
        manifest.printed.into_iter().for_each(console::line);
        Ok(())
    }
}

/// Returns how the committed model was made, if it is the one that the manifest describes.
pub(crate) fn check() -> Result<Manifest> {
    let text = fs::read_to_string(workspace::root().join(MANIFEST))?;
    let manifest: Manifest =
        toml::from_str(&text).with_context(|| format!("{MANIFEST} cannot be read"))?;
    ensure!(
        manifest.blake3 == hash(&workspace::root().join(MODEL))?,
        "{MODEL} is not the model that {MANIFEST} describes; both are written by `cargo xtask digest-model --train`"
    );
    Ok(manifest)
}

fn hash(model: &Path) -> Result<String> {
    Ok(blake3::hash(&fs::read(model)?).to_hex().to_string())
}

/// Trains trees and writes them with their manifest.
fn train(folders: &[PathBuf]) -> Result<()> {
    let model = workspace::root().join(MODEL);
    let mut script = process::command(python::install("line-ranker-python", REQUIREMENTS)?);
    script.arg(workspace::root().join(SCRIPT)).arg("--ranker").arg(build_ranker()?);
    script.arg("--write").arg(&model).args(folders);
    let printed = process::stdout_text(&mut script)?;
    let manifest = Manifest {
        blake3: hash(&model)?,
        script: SCRIPT.to_owned(),
        printed: printed.lines().map(str::to_owned).collect(),
    };
    fs::write(workspace::root().join(MANIFEST), toml::to_string(&manifest)?)?;
    Ok(())
}

/// Builds the program that computes features and digests for the script.
fn build_ranker() -> Result<PathBuf> {
    let example = ["build", "--release", "-p", "forebay-digest", "--example", "line_ranker"];
    process::stdout(process::cargo().args(example))?;
    Ok(Metadata::read()?.target_directory.join("release/examples/line_ranker"))
}
