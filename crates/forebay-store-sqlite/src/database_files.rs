//! The files of a database: whether they belong together when it is opened, and whether they are still the ones that
//! are open.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use forebay_store::StoreError;
use parking_lot::Mutex;

use super::connection::{lock_beside, pause};

/// First bytes of a write-ahead log, but for the last bit, which is its byte order.
const LOG_MAGIC: u32 = 0x377F_0682;
/// Size of the log's header.
const LOG_HEADER_BYTES: usize = 32;
/// Offsets in the log's index: the number of frames, and the salts that the log's header repeats.
const INDEX_FRAMES: u64 = 16;
const INDEX_SALTS: u64 = 32;

/// Only the owner reads and writes.
const PRIVATE_MODE: u32 = 0o600;

/// Device and inode of the database and its log, as far as they exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIds([Option<(u64, u64)>; 2]);

impl FileIds {
    /// Returns the ids of the files at this path.
    pub(super) fn read(path: &Path) -> Self {
        let [database, log, _] = database_files(path);
        // An empty database was truncated: it has a header from the start.
        let is_empty = fs::metadata(&database).is_ok_and(|metadata| metadata.len() == 0);
        let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
        // SQLite looks for the log beside the target of a link: a link in place of the file is another database.
        let database = fs::symlink_metadata(database).ok().filter(|_| !is_empty);
        Self([database.map(id), fs::metadata(log).ok().map(id)])
    }

    /// Whether the path still leads to these files, and the next process that opens them will read the log.
    pub(super) fn are_at(&self, path: &Path) -> bool {
        let [_, log, _] = database_files(path);
        // Another process may be writing the header.
        let is_whole = || is_empty_or_valid(&log);
        let is_whole_later = || {
            pause();
            is_whole()
        };
        Self::read(path) == *self && (is_whole() || is_whole_later())
    }
}

/// Whether a log has nothing or a valid header: SQLite ignores all of a log without one.
fn is_empty_or_valid(log: &Path) -> bool {
    let has_bytes = fs::metadata(log).is_ok_and(|metadata| metadata.len() > 0);
    !has_bytes || log_salts(log).is_some()
}

/// Paths that this process has opened. Reading the log's index is allowed only before that: closing
/// a file drops all locks that the process has on it.
static OPENED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Checks before a database is opened that its log is there and its own; returns what the user must
/// know. What does not belong together is renamed and never read.
pub(super) fn inspect(path: &Path) -> Result<Vec<String>, StoreError> {
    make_private(path);
    let mut opened = OPENED.lock();
    let is_first = opened.get_or_insert_default().insert(path.to_owned());
    if fault(path, is_first).is_none() {
        return Ok(Vec::new());
    }
    // Another process may be creating or repairing the store.
    let _repair_lock = lock_beside(path, "repair")?;
    let Some(fault) = fault(path, is_first) else { return Ok(Vec::new()) };
    let shown = path.display();
    Ok(vec![match fault {
        Fault::NoLog => {
            format!(
                "{shown}: its write-ahead log is missing; entries that were only there are lost"
            )
        }
        Fault::NoDatabase => {
            let aside = quarantine(path)?;
            format!(
                "{shown} was missing or empty; its log was renamed to {}-wal and a new store begun",
                aside.display()
            )
        }
        Fault::ForeignLog => {
            let aside = set_log_aside(path)?;
            format!(
                "{shown}: the write-ahead log was damaged or not its own and was renamed to {}; \
                 entries that were only there are missing",
                aside.display()
            )
        }
    }])
}

/// Makes the files readable and writable for their owner alone. A file of another user stays as it
/// is; opening it tells why that fails.
fn make_private(path: &Path) {
    for file in database_files(path) {
        let Ok(metadata) = fs::metadata(&file) else { continue };
        let mode = metadata.permissions().mode() & 0o777;
        if mode == PRIVATE_MODE {
            continue;
        }
        let mended = fs::set_permissions(&file, fs::Permissions::from_mode(PRIVATE_MODE));
        let file = file.display();
        match mended {
            Ok(()) => {
                tracing::warn!(%file, "was accessible with mode {mode:o}, now {PRIVATE_MODE:o}");
            }
            Err(error) => tracing::warn!(%file, %error, "is accessible with mode {mode:o}"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    NoLog,
    NoDatabase,
    ForeignLog,
}

fn fault(path: &Path, may_read_index: bool) -> Option<Fault> {
    let [database, log, index] = database_files(path);
    let bytes = |file: &Path| fs::metadata(file).ok().map(|metadata| metadata.len());
    let log_bytes = bytes(&log);
    if bytes(&database).unwrap_or(0) == 0 {
        let has_frames = log_bytes.is_some_and(|bytes| bytes > LOG_HEADER_BYTES as u64);
        return has_frames.then_some(Fault::NoDatabase);
    }
    match log_bytes {
        // SQLite deletes the log before its index, so an index alone is a log that was lost.
        None => bytes(&index).is_some_and(|bytes| bytes > 0).then_some(Fault::NoLog),
        // After a checkpoint the index has no frames either.
        Some(0) => (may_read_index && index_salts(&index).is_some()).then_some(Fault::NoLog),
        Some(_) => {
            let salts = log_salts(&log);
            let is_foreign = salts.is_none_or(|salts| {
                may_read_index && index_salts(&index).is_some_and(|expected| expected != salts)
            });
            is_foreign.then_some(Fault::ForeignLog)
        }
    }
}

/// Returns the salts of a log; None if it has no valid header.
fn log_salts(log: &Path) -> Option<[u8; 8]> {
    let mut header = [0; LOG_HEADER_BYTES];
    File::open(log).ok()?.read_exact(&mut header).ok()?;
    let word = |at: usize| {
        u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let is_big_endian = word(0) & 1 == 1;
    let number = |at: usize| if is_big_endian { word(at) } else { word(at).swap_bytes() };
    let (mut first, mut second) = (0_u32, 0_u32);
    for at in (0..24).step_by(8) {
        first = first.wrapping_add(number(at)).wrapping_add(second);
        second = second.wrapping_add(number(at + 4)).wrapping_add(first);
    }
    let is_valid = word(0) & !1 == LOG_MAGIC && (word(24), word(28)) == (first, second);
    let mut salts = [0; 8];
    salts.copy_from_slice(&header[16..24]);
    is_valid.then_some(salts)
}

/// Returns the salts of the log that an index belongs to; None if it has no frames.
fn index_salts(index: &Path) -> Option<[u8; 8]> {
    let file = File::open(index).ok()?;
    let (mut frames, mut salts) = ([0; 4], [0; 8]);
    file.read_exact_at(&mut frames, INDEX_FRAMES).ok()?;
    file.read_exact_at(&mut salts, INDEX_SALTS).ok()?;
    (frames != [0; 4]).then_some(salts)
}

/// Renames a log and removes its index, which SQLite makes again.
fn set_log_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let [_, log, index] = database_files(path);
    let name = |number: u32| path.with_extension(format!("damaged-log-{number}"));
    let aside = (0..u32::MAX).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0));
    fs::rename(&log, &aside).map_err(StoreError::io(&log))?;
    match fs::remove_file(&index) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io(&index)(error))
        }
        _ => Ok(aside),
    }
}

/// Renames a damaged database and its log to an unused name; returns the new path.
pub fn quarantine(path: &Path) -> Result<PathBuf, StoreError> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let renamed = (0..u32::MAX)
        .map(|number| path.with_extension(format!("damaged-{seconds}-{number}")))
        .find(|candidate| !candidate.exists())
        .unwrap_or_else(|| path.with_extension("damaged"));
    for (from, to) in database_files(path).iter().zip(database_files(&renamed)) {
        if from.exists() {
            fs::rename(from, &to).map_err(StoreError::io(from))?;
        }
    }
    Ok(renamed)
}

/// Returns the paths of the database, its write-ahead log and the log's index.
pub(super) fn database_files(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    })
}
