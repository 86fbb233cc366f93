//! Reproducible archives: entries in the order given, one time for all files, no user names.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;

/// A file of an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) is_executable: bool,
}

impl Entry {
    pub(super) fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), bytes: text.into().into_bytes(), is_executable: false }
    }

    pub(super) fn executable(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, is_executable: true }
    }

    /// Reads a file of the repository.
    pub(super) fn of_repository(name: impl Into<String>, path: &str) -> Result<Self> {
        let file = crate::workspace::root().join(path);
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {path}"))?;
        Ok(Self { name: name.into(), bytes, is_executable: false })
    }

    pub(super) fn mode(&self) -> u32 {
        if self.is_executable { 0o755 } else { 0o644 }
    }
}

/// Writes a gzipped tar archive.
pub(super) fn write_tar_gz(path: &Path, entries: &[Entry], time: u64) -> Result<()> {
    // The default header of gzip has no time and no name, and names this operating system.
    let file =
        GzBuilder::new().operating_system(255).write(File::create(path)?, Compression::best());
    let mut archive = tar::Builder::new(file);
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(entry.bytes.len().try_into()?);
        header.set_mode(entry.mode());
        header.set_mtime(time);
        archive.append_data(&mut header, &entry.name, entry.bytes.as_slice())?;
    }
    archive.into_inner()?.finish()?.flush()?;
    Ok(())
}

/// Writes a zip archive. Its format knows no times before 1980 and no time zones, so all files have the first one.
pub(super) fn write_zip(path: &Path, entries: &[Entry]) -> Result<()> {
    let mut archive = zip::ZipWriter::new(File::create(path)?);
    for entry in entries {
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .compression_level(Some(9))
            .unix_permissions(entry.mode());
        archive.start_file(&entry.name, options)?;
        archive.write_all(&entry.bytes)?;
    }
    archive.finish()?;
    Ok(())
}
