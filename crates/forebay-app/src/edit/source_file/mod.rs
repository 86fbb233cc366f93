//! A file of the project: resolved and checked, decoded as text, and replaced atomically.

mod project_path;
mod replace;
mod text;

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::Path;

use forebay_sandbox::open_without_links;
use forebay_store::{ContentHash, own_files};
use forebay_text::number;

pub(crate) use project_path::{Access, ProjectPath, locate, named, shown};
pub use replace::replace_file;
pub(crate) use text::{SourceText, TextFormat};

use crate::AppError;
use crate::next_call::NextCall;

/// Larger files are rejected.
pub(crate) const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// A text file as read from disk.
pub(crate) struct SourceFile {
    pub(crate) hash: ContentHash,
    pub(crate) source: SourceText,
}

impl SourceFile {
    /// Reads a text file; fails with the reason for anything else.
    pub(crate) fn read(location: &ProjectPath) -> Result<Self, AppError> {
        let bytes = read_bytes(&location.path, &location.shown)?;
        let source = SourceText::decode(&bytes).ok_or_else(|| {
            AppError::bad_input(
                format!("{} is binary ({})", location.shown, number::bytes(bytes.len() as u64)),
                inspect_with_a_program(),
            )
        })?;
        Ok(Self { hash: hash(&bytes), source })
    }

    /// Wraps bytes that were just written.
    pub(crate) fn from_written(bytes: &[u8], source: SourceText) -> Self {
        Self { hash: hash(bytes), source }
    }

    /// Returns the text with line endings normalized to line feeds.
    pub(crate) fn text(&self) -> &str {
        &self.source.text
    }

    pub(crate) fn lines(&self) -> u64 {
        self.text().lines().count() as u64
    }
}

/// Writes a file atomically; `old` is its content as far as the caller knows.
pub(crate) fn write(
    location: &ProjectPath,
    bytes: &[u8],
    old: Option<&SourceFile>,
) -> Result<(), AppError> {
    if own_files::contains_path(&location.path) {
        return Err(AppError::own_database(&location.shown));
    }
    let now = read_bytes(&location.path, &location.shown).ok().map(|bytes| hash(&bytes));
    if now != old.map(|old| old.hash) {
        return Err(AppError::refused(
            format!("{} has just changed; nothing was written", location.shown),
            format!(
                "read it again with {}",
                NextCall::new("context_read").on(location.shown.as_str()).in_error()
            ),
        ));
    }
    replace::replace_checked(&location.path, bytes).map_err(|error| {
        AppError::unavailable(
            format!("cannot write {}: {error}; the file is unchanged", location.shown),
            Some(match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some disk space",
                io::ErrorKind::NotADirectory => "a parent of its path is not a folder",
                _ => "check the permissions of the file and its folder",
            }),
        )
    })
}

/// Reads a regular file whose path was resolved, or returns None if that fails.
pub(crate) fn read_if_regular(path: &Path) -> Option<Vec<u8>> {
    read_bytes(path, &path.to_string_lossy()).ok()
}

/// Reads a text file, or returns None if that fails.
pub(crate) fn read_if_text(path: &Path) -> Option<SourceFile> {
    let shown = path.to_string_lossy().into_owned();
    SourceFile::read(&ProjectPath { path: path.to_owned(), shown }).ok()
}

pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    *blake3::hash(bytes).as_bytes()
}

/// Shortens a hash for answers: enough to distinguish versions of one file.
pub(crate) fn short(hash: &ContentHash) -> String {
    hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a line range: `line 4`, `lines 4-9`.
pub(crate) fn line_range(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

fn read_bytes(path: &Path, shown: &str) -> Result<Vec<u8>, AppError> {
    if own_files::contains_path(path) {
        return Err(AppError::own_database(shown));
    }
    let file = open_without_links(path).map_err(|error| unreadable(shown, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(shown, &error))?;
    check_kind(&metadata, shown)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // The file may grow while it is read.
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(shown, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large(shown, metadata.len()));
    }
    Ok(bytes)
}

fn check_kind(metadata: &Metadata, shown: &str) -> Result<(), AppError> {
    if metadata.is_dir() {
        return Err(AppError::bad_input(
            format!("{shown} is a folder"),
            format!(
                "{} shows a folder; name one of its files",
                NextCall::new("context_peek").on(shown).in_error()
            ),
        ));
    }
    // Reading a pipe or a device might block.
    if !metadata.is_file() {
        return Err(AppError::bad_input(
            format!("{shown} is not a regular file"),
            format!("read it with {}", NextCall::new("ctx_execute").in_error()),
        ));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(too_large(shown, metadata.len()));
    }
    Ok(())
}

fn too_large(shown: &str, bytes: u64) -> AppError {
    AppError::bad_input(
        format!(
            "{shown} has {}; the limit is {}",
            number::bytes(bytes),
            number::bytes(MAX_FILE_BYTES)
        ),
        inspect_with_a_program(),
    )
}

fn inspect_with_a_program() -> String {
    format!("inspect it with a program: {}", NextCall::new("ctx_execute_file").in_error())
}

fn unreadable(shown: &str, error: &io::Error) -> AppError {
    match error.kind() {
        io::ErrorKind::NotFound => AppError::not_found(
            format!("{shown} does not exist"),
            format!(
                "check the path ({} maps the project); {} creates a file",
                NextCall::new("context_peek").on(".").in_error(),
                NextCall::new("context_write").in_error()
            ),
        ),
        _ => AppError::bad_input(format!("cannot read {shown}: {error}"), "check its permissions"),
    }
}
