//! The software bill of materials of the released program: every crate that is compiled into it, with its version,
//! license and checksum, in CycloneDX.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::tools::{self, CARGO_CYCLONEDX};
use crate::workspace::{self, Metadata};
use crate::{console, process};

/// Write the bill of materials of the program to `target/sbom/forebay.cdx.json`
#[derive(Debug, clap::Args)]
pub(crate) struct Sbom {}

/// Where cargo-cyclonedx writes: beside the manifest of each package.
const PACKAGE: &str = "crates/forebay";

const FILE_NAME: &str = "forebay.cdx";

impl Sbom {
    #[expect(clippy::unused_self, reason = "tasks are run alike")]
    pub(crate) fn run(&self) -> Result<()> {
        write().map(drop)
    }
}

/// Writes the bill of materials and returns its path.
pub(crate) fn write() -> Result<PathBuf> {
    let folder = Metadata::read()?.target_directory.join("sbom");
    let path = folder.join(format!("{FILE_NAME}.json"));
    let bill = generate()?;
    check(&bill)?;
    fs::create_dir_all(&folder)?;
    fs::write(&path, serde_json::to_string_pretty(&bill)? + "\n")?;
    console::line(format!("{} crates in {}", components(&bill).count(), path.display()));
    Ok(path)
}

fn generate() -> Result<Value> {
    let program = tools::install(&CARGO_CYCLONEDX)?;
    let written = workspace::root().join(PACKAGE);
    let mut cyclonedx = process::command(program);
    cyclonedx.args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--quiet"]);
    cyclonedx.args(["--no-build-deps", "--override-filename", FILE_NAME, "--manifest-path"]);
    cyclonedx.arg(written.join("Cargo.toml")).current_dir(workspace::root());
    process::run(&mut cyclonedx)?;
    let bill = take_files()?.replace(&*workspace::root().to_string_lossy(), "");
    let bill = serde_json::from_str(&bill).context("the bill of materials is not JSON")?;
    Ok(reproducible(bill))
}

/// Removes the time and the random number, so that the same sources give the same bytes.
fn reproducible(mut bill: Value) -> Value {
    if let Some(bill) = bill.as_object_mut() {
        bill.remove("serialNumber");
    }
    if let Some(metadata) = bill["metadata"].as_object_mut() {
        metadata.remove("timestamp");
    }
    bill
}

/// Returns the bill of the program and removes those that were written beside the manifests of all packages.
fn take_files() -> Result<String> {
    let root = workspace::root();
    let name = format!("{FILE_NAME}.json");
    let bill = fs::read_to_string(root.join(PACKAGE).join(&name))
        .context("cargo-cyclonedx wrote no file")?;
    let packages = fs::read_dir(root.join("crates"))?;
    let folders = packages.filter_map(|entry| Some(entry.ok()?.path())).chain([root.join("xtask")]);
    for file in folders.map(|folder| folder.join(&name)).filter(|file| file.exists()) {
        fs::remove_file(file)?;
    }
    Ok(bill)
}

fn components(bill: &Value) -> impl Iterator<Item = &Value> {
    bill["components"].as_array().into_iter().flatten()
}

/// A bill that leaves a crate out, or tells where it was made, is not published.
fn check(bill: &Value) -> Result<()> {
    let named: BTreeSet<(&str, &str)> = components(bill)
        .filter_map(|component| Some((component["name"].as_str()?, component["version"].as_str()?)))
        .collect();
    let compiled = compiled_crates()?;
    let missing: Vec<_> = compiled
        .iter()
        .filter(|(name, version)| !named.contains(&(name.as_str(), version.as_str())))
        .collect();
    ensure!(missing.is_empty(), "the bill of materials lacks {missing:?}");
    ensure!(
        !names_folder(bill, workspace::root()),
        "the bill of materials names a folder of this machine"
    );
    Ok(())
}

fn names_folder(bill: &Value, folder: &Path) -> bool {
    bill.to_string().contains(folder.to_string_lossy().as_ref())
}

/// Returns the crates that `cargo tree` says are linked into the program, but for the program itself.
fn compiled_crates() -> Result<BTreeSet<(String, String)>> {
    let mut tree = process::cargo();
    tree.args(["tree", "--package", "forebay", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--format", "{p}", "--locked"]).current_dir(workspace::root());
    let text = process::stdout_text(&mut tree)?;
    let crates = text.lines().skip(1).filter_map(name_and_version);
    Ok(crates.collect())
}

/// Parses `serde v1.0.228 (*)`.
fn name_and_version(line: &str) -> Option<(String, String)> {
    let mut words = line.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    Some((name.to_owned(), version.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_of_the_tree_has_a_name_and_a_version() {
        let parsed = name_and_version("serde_json v1.0.1 (proc-macro) (*)");
        assert_eq!(parsed, Some(("serde_json".to_owned(), "1.0.1".to_owned())));
        assert_eq!(name_and_version(""), None);
    }

    #[test]
    fn a_bill_without_a_crate_is_refused() {
        let error = check(&json!({ "components": [] })).map_err(|error| error.to_string());
        assert!(error.is_err_and(|error| error.contains("lacks")));
    }
}
