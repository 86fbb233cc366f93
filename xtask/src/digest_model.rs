//! `cargo xtask digest-model`: tells how the trees of the line ranker were made, checks their hash, trains new ones.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::workspace::Metadata;
use crate::{console, process, python, workspace};

const REQUIREMENTS: &str = "evals/line-ranker/requirements.txt";

/// Outputs with their facts, which the trees for outputs are trained on.
const OUTPUTS: &[&str] = &[
    "crates/forebay-digest/samples",
    "crates/forebay-digest/tests/recorded",
    "evals/line-ranker/recorded",
];

/// Tell how the trees of the line ranker were made, and check their hash
#[derive(Debug, Args)]
pub(crate) struct DigestModel {
    /// Train new trees for logs on marked logs in these folders, see evals/line-ranker/README.md
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    train_log: Vec<PathBuf>,

    /// Train new trees for the output of one command on the recorded outputs of the repository
    #[arg(long)]
    train_output: bool,
}

/// Committed trees, and the script that makes them.
struct Trees {
    model: &'static str,
    /// Written by training, beside the model.
    manifest: &'static str,
    script: &'static str,
}

const LOG: Trees = Trees {
    model: "crates/forebay-digest/src/ranker/log.bin",
    manifest: "crates/forebay-digest/src/ranker/log.toml",
    script: "evals/line-ranker/train.py",
};

const OUTPUT: Trees = Trees {
    model: "crates/forebay-digest/src/ranker/output.bin",
    manifest: "crates/forebay-digest/src/ranker/output.toml",
    script: "evals/line-ranker/train_output.py",
};

/// How a model was made.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Hash of the model.
    blake3: String,
    /// The script that made it.
    script: String,
    /// What the script printed: the number of texts, and the figures by folds.
    printed: Vec<String>,
}

impl DigestModel {
    pub(crate) fn run(self) -> Result<()> {
        if !self.train_log.is_empty() {
            LOG.train(&self.train_log)?;
        }
        if self.train_output {
            let folders: Vec<PathBuf> =
                OUTPUTS.iter().map(|folder| workspace::root().join(folder)).collect();
            OUTPUT.train(&folders)?;
        }
        for trees in [LOG, OUTPUT] {
            let Manifest { blake3, script, printed } = trees.check()?;
            console::line(format!("{} (BLAKE3 {blake3}) was made by {script}:", trees.model));
            printed.into_iter().for_each(console::line);
        }
        Ok(())
    }
}

/// Checks that the committed models are those that their manifests describe.
pub(crate) fn check() -> Result<()> {
    [LOG, OUTPUT].iter().try_for_each(|trees| trees.check().map(drop))
}

impl Trees {
    /// Returns how the committed model was made, if it is the one that the manifest describes.
    fn check(&self) -> Result<Manifest> {
        let Self { model, manifest: path, .. } = self;
        let text = fs::read_to_string(workspace::root().join(path))?;
        let manifest: Manifest =
            toml::from_str(&text).with_context(|| format!("{path} cannot be read"))?;
        ensure!(
            manifest.blake3 == hash(&workspace::root().join(model))?,
            "{model} is not the model that {path} describes; both are written by `cargo xtask digest-model`"
        );
        Ok(manifest)
    }

    /// Trains trees and writes them with their manifest.
    fn train(&self, folders: &[PathBuf]) -> Result<()> {
        let model = workspace::root().join(self.model);
        let mut script = process::command(python::install("line-ranker-python", REQUIREMENTS)?);
        script.arg(workspace::root().join(self.script)).arg("--ranker").arg(build_ranker()?);
        script.arg("--write").arg(&model).args(folders);
        let printed = process::stdout_text(&mut script)?;
        let manifest = Manifest {
            blake3: hash(&model)?,
            script: self.script.to_owned(),
            printed: printed.lines().map(str::to_owned).collect(),
        };
        fs::write(workspace::root().join(self.manifest), toml::to_string(&manifest)?)?;
        Ok(())
    }
}

fn hash(model: &Path) -> Result<String> {
    Ok(blake3::hash(&fs::read(model)?).to_hex().to_string())
}

/// Builds the program that computes features and digests for the script.
fn build_ranker() -> Result<PathBuf> {
    let example = ["build", "--release", "-p", "forebay-digest", "--example", "line_ranker"];
    process::stdout(process::cargo().args(example))?;
    Ok(Metadata::read()?.target_directory.join("release/examples/line_ranker"))
}
