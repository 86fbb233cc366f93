//! One file: read whole or not at all, and made text.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forebay_sandbox::open_nonblocking;
use forebay_store::FileStamp;
use forebay_text::chunk::Format;

use super::outcome::Skip;
use crate::AppError;
use crate::ingest::convert;
use crate::ingest::decode;

/// A file that changes while it is read is read again so often.
const TRIES: usize = 3;
/// A file that changed this recently may change again without its time telling.
const RESTLESS: Duration = Duration::from_secs(2);

/// A file that may be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Its place in the source; empty where it is the source.
    pub(crate) path: String,
    /// What its entry is called.
    pub(crate) source: String,
    pub(crate) file: PathBuf,
}

/// The bytes of a file as they stood at one moment.
pub(super) struct WholeFile {
    pub(super) bytes: Vec<u8>,
    pub(super) stamp: FileStamp,
}

/// Reads a file of at most `most` bytes; it was a regular one when it was last looked at.
pub(super) fn read(path: &Path, most: u64) -> Result<WholeFile, Skip> {
    for _ in 0..TRIES {
        let file = open_nonblocking(path).map_err(|_| Skip::Unreadable)?;
        let before = stamp_of(&file).ok_or(Skip::Unreadable)?;
        if before.size > most {
            return Err(Skip::TooLarge);
        }
        let bytes = read_once(&file, before.size).map_err(|_| Skip::Unreadable)?;
        if bytes.len() as u64 == before.size && stamp_of(&file) == Some(before) {
            return Ok(WholeFile { bytes, stamp: before });
        }
    }
    Err(Skip::Changing)
}

/// Reads a file that is expected to have so many bytes.
fn read_once(file: &File, expected: u64) -> io::Result<Vec<u8>> {
    // Files of the system have bytes and tell none: that they are not what they tell is to be seen.
    let wanted = expected.max(1);
    let mut bytes = Vec::with_capacity(wanted as usize);
    file.take(wanted).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What tells whether a regular file has changed.
pub(super) fn stamp(path: &Path) -> Option<FileStamp> {
    stamp_in(&fs::metadata(path).ok()?)
}

fn stamp_of(file: &File) -> Option<FileStamp> {
    stamp_in(&file.metadata().ok()?)
}

fn stamp_in(found: &fs::Metadata) -> Option<FileStamp> {
    if !found.is_file() {
        return None;
    }
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(FileStamp {
        modified: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        size: found.len(),
    })
}

/// Whether a file's stamp says without a doubt that it is as it was.
pub(super) fn is_surely_same(known: FileStamp, now: FileStamp) -> bool {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let restless = i64::try_from((since.saturating_sub(RESTLESS)).as_nanos()).unwrap_or(i64::MAX);
    known == now && now.modified < restless
}

/// A file's or a page's content as text.
pub(crate) struct Converted<'a> {
    pub(crate) text: Cow<'a, str>,
    /// What it is, where that is known for certain.
    pub(crate) format: Option<Format>,
}

/// Makes text of bytes: pages of a PDF, markdown of HTML, all else as it stands.
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
            "check the path; a relative one is seen from the working folder",
        );
    }
    AppError::bad_input(
        format!("{} cannot be read: {error}", path.display()),
        "check its permissions",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_file_that_changes_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("growing.log");
        // A write that ends in another page than it began is seen by halves: the file really is so then.
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
    fn what_is_no_file_or_too_large_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 4).err(), Some(Skip::TooLarge));
        assert_eq!(read(folder.path(), 4).err(), Some(Skip::Unreadable));
        assert_eq!(read(&folder.path().join("gone"), 4).err(), Some(Skip::Unreadable));
    }
}
