//! The log: a file in the data directory, never the terminal. Lines, their rate and the file are bounded.
//!
//! A stranger who causes a line with every request must not fill the disk, nor push out what others caused.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

use forebay_app::bounds::{LOG_BURST, LOG_LINES_PER_SECOND, MAX_LOG_BYTES, MAX_LOG_LINE_BYTES};
use forebay_redact::Redactor;
use tracing::Metadata;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::environment;
use crate::rate_limit::RateLimit;

/// Starts logging; without a writable directory there is no log.
pub(crate) fn start(file: &Path) {
    let level = environment::read(environment::LOG).and_then(|word| word.parse().ok());
    let level: LevelFilter = level.unwrap_or(LevelFilter::WARN);
    // The store creates the directory; before the first entry there is nothing to log.
    if let Ok(log) = LogFile::open(file) {
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(false)
            .with_writer(log)
            .finish();
        let _ = tracing::subscriber::set_global_default(subscriber);
    }
}

/// A file that is replaced when it is full; one old file is kept.
struct LogFile {
    path: PathBuf,
    file: Mutex<File>,
    rate: RateLimit,
    /// Built by the first line; most processes log nothing.
    redactor: LazyLock<Redactor>,
}

impl LogFile {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(open(path)?),
            rate: RateLimit::new(LOG_LINES_PER_SECOND, LOG_BURST),
            redactor: LazyLock::new(Redactor::default),
        })
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.metadata()?.len() + line.len() as u64 > MAX_LOG_BYTES {
            *file = self.replace(&file)?;
        }
        file.write_all(line)
    }

    /// Sets the full file aside, unless another process has done so.
    fn replace(&self, full: &File) -> io::Result<File> {
        let full = full.metadata()?;
        let is_current = fs::metadata(&self.path)
            .is_ok_and(|now| (now.dev(), now.ino()) == (full.dev(), full.ino()));
        if is_current {
            fs::rename(&self.path, self.path.with_extension("log.old"))?;
        }
        open(&self.path)
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = LogLine<'a>;

    fn make_writer(&'a self) -> LogLine<'a> {
        LogLine { log: self, is_wanted: true }
    }

    /// Each place in the code has a rate of its own.
    fn make_writer_for(&'a self, place: &Metadata<'_>) -> LogLine<'a> {
        let key = format!("{}:{}", place.target(), place.line().unwrap_or_default());
        LogLine { log: self, is_wanted: self.rate.take(&key, Instant::now()).is_ok() }
    }
}

/// Writes the text of one event, which arrives whole.
struct LogLine<'a> {
    log: &'a LogFile,
    is_wanted: bool,
}

impl Write for LogLine<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.is_wanted {
            // Words of a caller may be secrets: a path, a host, an error that repeats them.
            let (clean, _) = self.log.redactor.redact(line);
            self.log.write(&shortened(&clean))?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The start of a line, with a mark if it is cut.
fn shortened(line: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if line.len() <= MAX_LOG_LINE_BYTES {
        return line.into();
    }
    let start = String::from_utf8_lossy(&line[..MAX_LOG_LINE_BYTES]);
    format!("{}… ({} bytes)\n", start.trim_end_matches('\u{fffd}'), line.len()).into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_stays_within_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forebay.log");
        let (one, other) = (LogFile::open(&path).unwrap(), LogFile::open(&path).unwrap());
        let line = [b'x'; MAX_LOG_LINE_BYTES];
        for _ in 0..3 * MAX_LOG_BYTES / line.len() as u64 {
            one.write(&line).unwrap();
            other.write(&line).unwrap();
        }
        let sizes: Vec<u64> = fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .collect();
        assert_eq!(sizes.len(), 2);
        assert!(sizes.iter().all(|size| *size <= MAX_LOG_BYTES + line.len() as u64), "{sizes:?}");
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        let line = format!("{}\n", "ü".repeat(MAX_LOG_LINE_BYTES));
        let short = shortened(line.as_bytes());
        assert!(short.len() < MAX_LOG_LINE_BYTES + 40);
        assert!(std::str::from_utf8(&short).unwrap().ends_with("bytes)\n"));
        assert_eq!(&*shortened(b"short\n"), b"short\n");
    }
}
