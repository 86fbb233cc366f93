//! The hook calls of the last days, with the time that each took: a line a call, a file a day.
//!
//! They are not in the store: most hooks before a tool need no store, and opening it takes longer than all the rest that
//! they do. A line is appended in microseconds.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use forebay_domain::Timestamp;
use forebay_store::home::create_private_folder;
use serde::{Deserialize, Serialize};

use crate::App;

/// Days that are kept, the present one included.
const KEPT_DAYS: i64 = 7;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// Calls of a day that would make its file larger are not listed.
const MAX_DAY_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes that are read at once.
const MAX_READ_BYTES: u64 = 256 * 1024;
/// The latest bytes that statistics are made of.
const MAX_COUNTED_BYTES: u64 = 1024 * 1024;

/// A call of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedCall {
    /// When it was answered, in milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) session: String,
    /// What the host reported.
    pub(crate) event: String,
    pub(crate) outcome: String,
    /// From the start of the process until the answer was written.
    pub(crate) micros: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<LoggedTool>,
    /// What went wrong: either there was no answer, or something beside it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<LoggedFault>,
}

/// An error, redacted and cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedFault {
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

/// The tool call that a hook was called for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedTool {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The same for all hooks of the call; `None` if the host does not name its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    /// The stored result that the answer names.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "ref")]
    pub(crate) reference: Option<String>,
}

/// How far a log is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LogPosition {
    day: i64,
    offset: u64,
}

impl LogPosition {
    /// Parses the position as it is written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (day, offset) = text.split_once('.')?;
        Some(Self { day: day.parse().ok()?, offset: offset.parse().ok()? })
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.day, self.offset)
    }
}

/// The calls of a project.
pub(crate) struct CallLog {
    /// The data folder, which is not created for a log.
    home: PathBuf,
    folder: PathBuf,
}

impl CallLog {
    pub(crate) fn for_app(app: &App) -> Self {
        let project = app.stores.project().map(|project| &project.id);
        let home = app.stores.home();
        Self { home: home.root().to_owned(), folder: home.calls(project) }
    }

    pub(crate) fn append(&self, call: &LoggedCall) -> io::Result<()> {
        let mut line = serde_json::to_vec(call)?;
        line.push(b'\n');
        let at = Timestamp(call.at);
        let mut file = match self.open_to_append(day_of(at)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => match self.start_day(at)? {
                Some(file) => file,
                None => return Ok(()),
            },
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < MAX_DAY_BYTES {
            // One write, so that lines of several processes do not mix.
            file.write_all(&line)?;
        }
        Ok(())
    }

    fn open_to_append(&self, day: i64) -> io::Result<File> {
        OpenOptions::new().append(true).open(self.file_of(day))
    }

    /// Creates the file of a day, and deletes old ones: not every host reports when a session starts or ends.
    fn start_day(&self, now: Timestamp) -> io::Result<Option<File>> {
        if !self.home.is_dir() {
            return Ok(None);
        }
        create_private_folder(&self.folder).map_err(io::Error::other)?;
        self.delete_old(now);
        let path = self.file_of(day_of(now));
        OpenOptions::new().append(true).create(true).mode(0o600).open(path).map(Some)
    }

    /// Deletes the days that are no longer kept, and what a killed process left of a deletion. What cannot be deleted now is
    /// tried again with the next day.
    pub(crate) fn delete_old(&self, now: Timestamp) {
        let first_kept = day_of(now) - KEPT_DAYS + 1;
        let deleted = delete_folder(&self.deleted_folder());
        if let Err(error) = deleted.and_then(|()| self.delete_days_before(first_kept)) {
            tracing::warn!(%error, "cannot delete old lists of hook calls");
        }
    }

    fn delete_days_before(&self, first: i64) -> io::Result<()> {
        self.days()?.into_iter().filter(|day| *day < first).try_for_each(|day| {
            let deleted = fs::remove_file(self.file_of(day));
            deleted.or_else(|error| ignore_absent(error, ()))
        })
    }

    /// Deletes all days; returns whether there were any.
    ///
    /// The folder is renamed first, so that calls which other processes append meanwhile begin a new list.
    pub(crate) fn delete(&self) -> io::Result<bool> {
        let had_calls = self.has_calls()?;
        let deleted = self.deleted_folder();
        delete_folder(&deleted)?;
        fs::rename(&self.folder, &deleted).or_else(|error| ignore_absent(error, ()))?;
        delete_folder(&deleted)?;
        Ok(had_calls)
    }

    pub(crate) fn has_calls(&self) -> io::Result<bool> {
        self.days().map(|days| !days.is_empty())
    }

    fn deleted_folder(&self) -> PathBuf {
        let mut name = self.folder.clone().into_os_string();
        name.push(".deleted");
        name.into()
    }

    /// Returns calls after a position, the oldest first, and the position after them.
    pub(crate) fn since(
        &self,
        position: LogPosition,
    ) -> io::Result<(Vec<LoggedCall>, LogPosition)> {
        let mut next = position;
        for day in self.days()?.into_iter().filter(|day| *day >= position.day) {
            if day > next.day {
                next = LogPosition { day, offset: 0 };
            }
            let path = self.file_of(day);
            if size(&path)? < next.offset {
                // Deleted and begun again: all in it is new.
                next.offset = 0;
            }
            let lines = whole_lines(&path, next.offset)?;
            if !lines.is_empty() {
                next.offset += lines.len() as u64;
                return Ok((calls(&lines), next));
            }
        }
        Ok((Vec::new(), next))
    }

    /// Returns the position before the last `backlog` calls of the latest day, or the last bytes that are read at once.
    pub(crate) fn before_last(&self, backlog: usize) -> io::Result<LogPosition> {
        let Some(day) = self.days()?.pop() else { return Ok(LogPosition::default()) };
        let path = self.file_of(day);
        let start = line_start(&path, MAX_READ_BYTES)?;
        let lines = whole_lines(&path, start)?;
        let ends = || lines.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let skipped = ends().count().saturating_sub(backlog);
        let length =
            skipped.checked_sub(1).and_then(|last| ends().nth(last)).map_or(0, |end| end.0 + 1);
        Ok(LogPosition { day, offset: start + length as u64 })
    }

    /// Returns the times of the latest calls in microseconds, by what the host reported.
    pub(crate) fn times(&self) -> io::Result<BTreeMap<String, Vec<u64>>> {
        let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut left = MAX_COUNTED_BYTES;
        for day in self.days()?.into_iter().rev() {
            let path = self.file_of(day);
            let mut offset = line_start(&path, left)?;
            loop {
                let lines = whole_lines(&path, offset)?;
                if lines.is_empty() {
                    break;
                }
                offset += lines.len() as u64;
                left = left.saturating_sub(lines.len() as u64);
                for call in calls(&lines) {
                    times.entry(call.event).or_default().push(call.micros);
                }
            }
            if left == 0 {
                break;
            }
        }
        Ok(times)
    }

    /// The days with calls, in order.
    fn days(&self) -> io::Result<Vec<i64>> {
        let folder = match fs::read_dir(&self.folder) {
            Ok(folder) => folder,
            Err(error) => return ignore_absent(error, Vec::new()),
        };
        let names = folder.filter_map(|file| file.ok()?.file_name().into_string().ok());
        let mut days: Vec<i64> =
            names.filter_map(|name| name.strip_suffix(".jsonl")?.parse().ok()).collect();
        days.sort_unstable();
        Ok(days)
    }

    fn file_of(&self, day: i64) -> PathBuf {
        self.folder.join(format!("{day}.jsonl"))
    }
}

/// The time of calls, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Latency {
    pub(crate) calls: usize,
    pub(crate) median: u64,
    pub(crate) p95: u64,
    pub(crate) max: u64,
}

impl Latency {
    /// `None` without calls.
    pub(crate) fn from_micros(mut micros: Vec<u64>) -> Option<Self> {
        micros.sort_unstable();
        let max = *micros.last()?;
        // The nearest rank: a time that a call really took.
        let percentile = |percent: usize| micros[(micros.len() * percent).div_ceil(100) - 1];
        Some(Self { calls: micros.len(), median: percentile(50), p95: percentile(95), max })
    }
}

/// Days since 1970, in UTC.
fn day_of(at: Timestamp) -> i64 {
    at.0.div_euclid(DAY_MILLIS)
}

/// Reads whole lines from an offset on; a line that is being written is left for later.
fn whole_lines(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return ignore_absent(error, Vec::new()),
    };
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(MAX_READ_BYTES).read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(end);
    Ok(bytes)
}

/// Returns where the first line starts of which the last `length` bytes of a file have all.
fn line_start(path: &Path, length: u64) -> io::Result<u64> {
    // One byte more: the line end before.
    let Some(from) = size(path)?.checked_sub(length + 1) else { return Ok(0) };
    let lines = whole_lines(path, from)?;
    let end = lines.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    Ok(from + end as u64)
}

fn size(path: &Path) -> io::Result<u64> {
    fs::metadata(path).map(|found| found.len()).or_else(|error| ignore_absent(error, 0))
}

/// The calls of lines; a line that only a newer version understands is skipped.
fn calls(lines: &[u8]) -> Vec<LoggedCall> {
    let lines = lines.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn delete_folder(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder).or_else(|error| ignore_absent(error, ()))
}

fn ignore_absent<T>(error: io::Error, absent: T) -> io::Result<T> {
    if error.kind() == ErrorKind::NotFound { Ok(absent) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(folder: &Path) -> CallLog {
        CallLog { home: folder.to_owned(), folder: folder.join("calls") }
    }

    fn call(at: i64, micros: u64) -> LoggedCall {
        LoggedCall {
            at,
            session: "s".to_owned(),
            event: "after a tool".to_owned(),
            outcome: "passed".to_owned(),
            micros,
            tool: None,
            fault: None,
        }
    }

    fn times(calls: &[LoggedCall]) -> Vec<u64> {
        calls.iter().map(|call| call.micros).collect()
    }

    #[test]
    fn calls_are_read_once_over_days() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        assert_eq!(log.since(LogPosition::default()).unwrap().0, []);
        for (at, micros) in [(0, 1), (1, 2), (2 * DAY_MILLIS, 3)] {
            log.append(&call(at, micros)).unwrap();
        }
        let (first, position) = log.since(LogPosition::default()).unwrap();
        let (second, position) = log.since(position).unwrap();
        assert_eq!((times(&first), times(&second)), (vec![1, 2], vec![3]));
        assert_eq!(LogPosition::parse(&position.to_string()), Some(position));
        assert_eq!(log.since(position).unwrap(), (Vec::new(), position));
        log.append(&call(2 * DAY_MILLIS + 9, 4)).unwrap();
        assert_eq!(times(&log.since(position).unwrap().0), [4]);
        let last = log.before_last(1).unwrap();
        assert_eq!(times(&log.since(last).unwrap().0), [4]);
        let whole_day = log.before_last(50).unwrap();
        assert_eq!(times(&log.since(whole_day).unwrap().0), [3, 4]);
        log.delete_old(Timestamp((KEPT_DAYS + 1) * DAY_MILLIS));
        assert_eq!(log.days().unwrap(), [2]);
        assert!(log.delete().unwrap());
        assert!(!log.has_calls().unwrap());
        assert!(!log.delete().unwrap(), "deleted before");
    }

    #[test]
    fn what_a_killed_process_left_of_a_deletion_is_deleted_later() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        let delete: [fn(&CallLog); 3] = [
            |log| drop(log.delete()),
            |log| log.delete_old(Timestamp(0)),
            |log| log.append(&call(0, 2)).unwrap(),
        ];
        for delete in delete {
            log.append(&call(0, 1)).unwrap();
            fs::rename(&log.folder, log.deleted_folder()).unwrap();
            delete(&log);
            assert!(!log.deleted_folder().exists());
        }
    }

    #[test]
    fn the_first_call_of_a_day_deletes_old_days() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        for day in [0, 1, KEPT_DAYS] {
            log.append(&call(day * DAY_MILLIS, 1)).unwrap();
        }
        assert_eq!(log.days().unwrap(), [1, KEPT_DAYS]);
    }

    #[test]
    fn a_log_that_was_deleted_is_read_from_its_new_start() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        for micros in [1, 2, 3] {
            log.append(&call(0, micros)).unwrap();
        }
        let (_, position) = log.since(LogPosition::default()).unwrap();
        log.delete().unwrap();
        assert_eq!(log.since(position).unwrap(), (Vec::new(), position));
        log.append(&call(0, 4)).unwrap();
        let (read, position) = log.since(position).unwrap();
        assert_eq!(times(&read), [4]);
        assert_eq!(log.since(position).unwrap(), (Vec::new(), position));
    }

    #[test]
    fn a_line_that_is_being_written_waits() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        log.append(&call(0, 1)).unwrap();
        let whole = fs::read(log.file_of(0)).unwrap();
        let (start, end) = whole.split_at(20);
        fs::write(log.file_of(0), [&whole[..], b"{\"damaged\":\n", start].concat()).unwrap();
        let (read, position) = log.since(LogPosition::default()).unwrap();
        assert_eq!(times(&read), [1]);
        log.open_to_append(0).unwrap().write_all(end).unwrap();
        assert_eq!(times(&log.since(position).unwrap().0), [1]);
    }

    #[test]
    fn a_log_makes_no_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(&folder.path().join("absent"));
        log.append(&call(0, 1)).unwrap();
        assert!(!folder.path().join("absent").exists());
    }

    #[test]
    fn percentiles_are_times_that_calls_took() {
        let latency = |micros: &[u64]| Latency::from_micros(micros.to_vec());
        assert_eq!(latency(&[]), None);
        assert_eq!(latency(&[7]), Some(Latency { calls: 1, median: 7, p95: 7, max: 7 }));
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(latency(&hundred), Some(Latency { calls: 100, median: 50, p95: 95, max: 100 }));
    }
}
