//! A file of the project: found and allowed, read as text, and replaced whole or not at all.

mod place;
mod replace;
mod text;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use forebay_store::ContentHash;
use forebay_text::number;

pub(crate) use place::{Access, Place, locate, named, shown};
pub(crate) use text::{Form, SourceText};

use crate::AppError;

/// Larger files are no source that anybody reads whole.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// A file as it lies on the disk.
pub(crate) struct SourceFile {
    pub(crate) hash: ContentHash,
    pub(crate) bytes: u64,
    pub(crate) source: SourceText,
}

impl SourceFile {
    /// Reads a file of text; anything else is told for what it is.
    pub(crate) fn read(place: &Place) -> Result<Self, AppError> {
        let bytes = read_bytes(&place.path, &place.shown)?;
        let source = SourceText::decode(&bytes).ok_or_else(|| {
            AppError::bad_input(
                format!("{} is binary ({})", place.shown, number::bytes(bytes.len() as u64)),
                "look into it with a program: ctx_execute_file",
            )
        })?;
        Ok(Self { hash: hash(&bytes), bytes: bytes.len() as u64, source })
    }

    /// A file that holds these bytes, which were just written.
    pub(crate) fn of(bytes: &[u8], source: SourceText) -> Self {
        Self { hash: hash(bytes), bytes: bytes.len() as u64, source }
    }

    /// The text as models see it: lines end with a line feed.
    pub(crate) fn text(&self) -> &str {
        &self.source.text
    }

    pub(crate) fn lines(&self) -> u64 {
        self.text().lines().count() as u64
    }
}

/// Writes a file whole or not at all; `old` is what stands there as far as the caller knows.
pub(crate) fn write(place: &Place, bytes: &[u8], old: Option<&SourceFile>) -> Result<(), AppError> {
    let now = fs::read(&place.path).ok().map(|bytes| hash(&bytes));
    if now != old.map(|old| old.hash) {
        return Err(AppError::refused(
            format!("{} has changed in this very moment; nothing is written", place.shown),
            "read it again with context_read",
        ));
    }
    replace::replace(&place.path, bytes).map_err(|error| {
        AppError::unavailable(
            format!("{} is not written and is as it was: {error}", place.shown),
            Some(match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some disk space",
                _ => "check the permissions of the file and its folder",
            }),
        )
    })
}

/// A file read if it is one, for those who can do without it.
pub(crate) fn read_if_text(path: &Path) -> Option<SourceFile> {
    let shown = path.to_string_lossy().into_owned();
    SourceFile::read(&Place { path: path.to_owned(), shown }).ok()
}

pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    *blake3::hash(bytes).as_bytes()
}

/// A hash as it is told: enough to tell versions of one file apart.
pub(crate) fn short(hash: &ContentHash) -> String {
    hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `line 4`, `lines 4-9`
pub(crate) fn lines_told(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

fn read_bytes(path: &Path, shown: &str) -> Result<Vec<u8>, AppError> {
    let found = fs::metadata(path).map_err(|error| unreadable(shown, &error))?;
    check_kind(&found, shown)?;
    let mut bytes = Vec::with_capacity(found.len() as usize);
    File::open(path)
        // It may grow while it is read.
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(shown, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(shown, found.len()));
    }
    Ok(bytes)
}

fn check_kind(found: &Metadata, shown: &str) -> Result<(), AppError> {
    if found.is_dir() {
        return Err(AppError::bad_input(
            format!("{shown} is a folder"),
            "context_peek shows a folder; name one of its files",
        ));
    }
    // A pipe or a device would be waited for.
    if !found.is_file() {
        return Err(AppError::bad_input(
            format!("{shown} is not a regular file"),
            "read it with ctx_execute",
        ));
    }
    if found.len() > LARGEST {
        return Err(too_large(shown, found.len()));
    }
    Ok(())
}

fn too_large(shown: &str, bytes: u64) -> AppError {
    AppError::bad_input(
        format!(
            "{shown} has {}; at most {} are read",
            number::bytes(bytes),
            number::bytes(LARGEST)
        ),
        "look into it with a program: ctx_execute_file",
    )
}

fn unreadable(shown: &str, error: &io::Error) -> AppError {
    match error.kind() {
        io::ErrorKind::NotFound => AppError::not_found(
            format!("{shown} does not exist"),
            "check the path (context_peek \".\" maps the project); context_write makes a file",
        ),
        _ => {
            AppError::bad_input(format!("{shown} cannot be read: {error}"), "check its permissions")
        }
    }
}
