//! Reads one file consistently and converts it to text.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forebay_sandbox::open_without_links;
use forebay_store::{FileStamp, own_files};
use forebay_text::chunk::Format;

use super::outcome::Skip;
use crate::AppError;
use crate::ingest::convert;
use crate::ingest::decode;

/// How often to read a file that changes while it is read.
const MAX_READS: usize = 3;
/// A file modified this recently may change again without a new modification time.
const UNSETTLED_PERIOD: Duration = Duration::from_secs(2);

/// A file that may be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Its path within the source; empty if the file is the source.
    pub(crate) path: String,
    /// The name of its entry.
    pub(crate) source: String,
    pub(crate) file: PathBuf,
}

/// A consistent snapshot of a file's bytes.
pub(super) struct WholeFile {
    pub(super) bytes: Vec<u8>,
    pub(super) stamp: FileStamp,
}

/// Reads a regular file of at most `max_bytes` bytes.
pub(super) fn read(path: &Path, max_bytes: u64) -> Result<WholeFile, Skip> {
    if own_files::contains_path(path) {
        return Err(Skip::Database);
    }
    for _ in 0..MAX_READS {
        let file = open_without_links(path).map_err(|_| Skip::Unreadable)?;
        let before = stamp_of(&file).ok_or(Skip::Unreadable)?;
        if before.size > max_bytes {
            return Err(Skip::TooLarge);
        }
        let bytes = read_once(&file, before.size).map_err(|_| Skip::Unreadable)?;
        if bytes.len() as u64 == before.size && stamp_of(&file) == Some(before) {
            return Ok(WholeFile { bytes, stamp: before });
        }
    }
    Err(Skip::Changing)
}

/// Reads a file with an expected size.
fn read_once(file: &File, expected: u64) -> io::Result<Vec<u8>> {
    // Files such as those in /proc report a size of zero; reading on detects the mismatch.
    let wanted = expected.max(1);
    let mut bytes = Vec::with_capacity(wanted as usize);
    file.take(wanted).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the stamp that shows whether a regular file has changed.
pub(super) fn stamp(path: &Path) -> Option<FileStamp> {
    stamp_from(&fs::symlink_metadata(path).ok()?)
}

fn stamp_of(file: &File) -> Option<FileStamp> {
    stamp_from(&file.metadata().ok()?)
}

fn stamp_from(found: &fs::Metadata) -> Option<FileStamp> {
    if !found.is_file() {
        return None;
    }
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(FileStamp {
        modified: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        size: found.len(),
    })
}

/// Whether a file's stamp proves that it has not changed.
pub(super) fn is_certainly_unchanged(known: FileStamp, now: FileStamp) -> bool {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let restless =
        i64::try_from((since.saturating_sub(UNSETTLED_PERIOD)).as_nanos()).unwrap_or(i64::MAX);
    known == now && now.modified < restless
}

/// The text of a file or page.
pub(crate) struct Converted<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The format, if known for certain.
    pub(crate) format: Option<Format>,
}

/// Converts bytes to text: the pages of a PDF, HTML as markdown, everything else decoded.
pub(crate) fn convert<'a>(
    name: &str,
    bytes: &'a [u8],
    charset: Option<&str>,
) -> Result<Converted<'a>, Skip> {
    if bytes.starts_with(b"%PDF-") {
        let text = convert::pdf(bytes).ok_or(Skip::Unreadable)?;
        return Ok(Converted { text: text.into(), format: Some(Format::Pages) });
    }
    let label = || charset.map(str::to_owned).or_else(|| convert::html_charset(bytes));
    let text = decode::text(bytes, label).ok_or(Skip::Binary)?;
    if convert::is_html(name, &text) {
        let text = convert::html(&text).into();
        return Ok(Converted { text, format: Some(Format::Markdown) });
    }
    Ok(Converted { text, format: None })
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> AppError {
    if error.kind() == io::ErrorKind::NotFound {
        return AppError::not_found(
            format!("{} does not exist", path.display()),
            "check the path; relative paths start at the working folder",
        );
    }
    AppError::bad_input(format!("cannot read {}: {error}", path.display()), "check its permissions")
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn reads_a_changing_file_consistently_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("growing.log");
        // A write that crosses a page boundary can be visible in halves: the file really has that content then.
        let record = [&[b'x'; 1023][..], b"\n"].concat();
        fs::write(&path, &record).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = File::options().append(true).open(&path).unwrap();
                while !done.load(Ordering::Relaxed)
                    && stamp(&path).is_some_and(|now| now.size < 5_000_000)
                {
                    file.write_all(&record).unwrap();
                }
            });
            for _ in 0..200 {
                match read(&path, 10_000_000) {
                    Ok(whole) => {
                        assert_eq!(whole.bytes.len() as u64, whole.stamp.size);
                        assert!(whole.bytes.ends_with(b"\n"));
                    }
                    Err(skip) => assert_eq!(skip, Skip::Changing),
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn reports_non_files_and_large_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 4).err(), Some(Skip::TooLarge));
        assert_eq!(read(folder.path(), 4).err(), Some(Skip::Unreadable));
        assert_eq!(read(&folder.path().join("gone"), 4).err(), Some(Skip::Unreadable));
    }
}
