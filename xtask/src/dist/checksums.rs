//! `SHA256SUMS` for people, and `release.json` for `forebay upgrade`. [`super::signatures`] signs both.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::release::{Release, TARGETS};
use super::tarball;
use crate::console;

pub(super) const SUMS: &str = "SHA256SUMS";
pub(super) const MANIFEST: &str = "release.json";

pub(super) fn write(release: &Release, out: &Path) -> Result<()> {
    fs::write(out.join(MANIFEST), serde_json::to_string_pretty(&manifest(release, out)?)? + "\n")?;
    let mut names = published(out)?;
    names.sort();
    let mut sums = String::new();
    for name in &names {
        sums += &format!("{}  {name}\n", sha256(&out.join(name))?);
    }
    fs::write(out.join(SUMS), sums)?;
    console::line(format!("{} files in {}", names.len() + 1, out.display()));
    Ok(())
}

/// The archives that exist for this version, as `forebay upgrade` reads them.
fn manifest(release: &Release, out: &Path) -> Result<Value> {
    let mut archives = Map::new();
    for target in &TARGETS {
        let name = format!("{}.{}", release.stem(target), tarball::EXTENSION);
        let path = out.join(&name);
        if let Ok(metadata) = fs::metadata(&path) {
            let archive = json!({ "name": name, "sha256": sha256(&path)?, "size": metadata.len() });
            archives.insert(target.triple.to_owned(), archive);
        }
    }
    Ok(json!({ "version": release.version, "published": release.date()?, "archives": archives }))
}

fn published(out: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok().context("a package has a plain name")?;
        let is_ours = name != SUMS && !name.ends_with(".minisig");
        if entry.file_type()?.is_file() && is_ours {
            names.push(name);
        }
    }
    Ok(names)
}

pub(super) fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
