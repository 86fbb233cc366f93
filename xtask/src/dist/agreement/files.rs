//! Reads files out of archives.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A file of a gzipped tar archive.
pub(super) fn in_tar_gz(archive: &Path, name: &str) -> Result<Vec<u8>> {
    let file = File::open(archive).with_context(|| format!("no {}", archive.display()))?;
    in_tar(GzDecoder::new(file), name).with_context(|| archive.display().to_string())
}

/// A file of a tar archive; a leading `./` does not count.
pub(super) fn in_tar(archive: impl Read, name: &str) -> Result<Vec<u8>> {
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        if entry.path()?.strip_prefix(".").is_ok_and(|path| path == Path::new(name))
            || *entry.path()? == *Path::new(name)
        {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
    }
    anyhow::bail!("it has no file {name}")
}

/// A file of a zip archive.
pub(super) fn in_zip(archive: &Path, name: &str) -> Result<Vec<u8>> {
    let file = File::open(archive).with_context(|| format!("no {}", archive.display()))?;
    let mut archive = zip::ZipArchive::new(file)?;
    let mut entry = archive.by_name(name).with_context(|| format!("no {name}"))?;
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn json(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).context("not JSON")
}

/// A string of a JSON value by its pointer; nothing, if it is missing.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
