//! Connections: opens the file and pools connections between threads.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forebay_store::StoreError;
use forebay_store::busy_timeout;
use forebay_store::home::create_private_folder;
use forebay_store::own_files::OwnFiles;
use forebay_store::reserve;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, ffi};

use super::database_files::{self, FileIds, database_files};
use super::migrate;
use crate::error;

/// Checkpoint interval in pages of the write-ahead log (64 MB). A checkpoint syncs the disk twice,
/// and a page written several times is copied once.
const CHECKPOINT_PAGES: i32 = 16_000;
/// Maintenance keeps the log below this size, since the first process to open a store reads all of
/// it.
const MAINTENANCE_WAL_BYTES: u64 = 1_000_000;
/// Pause between attempts to get the write lock; most transactions take well below a millisecond.
const BUSY_PAUSE: Duration = Duration::from_micros(300);
/// How long a write waits that can be done later, so that a reader never waits for a writer.
const BRIEF_TIMEOUT: Duration = Duration::from_millis(300);
/// Free pages that trigger an incremental vacuum, and the maximum it frees (4 MB).
const VACUUM_PAGES: i64 = 1_000;
/// Maximum number of connections: opening one costs more than waiting for another to be returned.
const MAX_CONNECTIONS: usize = 6;
/// Opens an extra connection after this time, so that a long-running use does not block others.
const CONNECTION_TIMEOUT: Duration = Duration::from_millis(200);
/// SQLite page cache in KiB of the first connection, which does large writes and is often the only
/// one,
const FIRST_CACHE_KIB: u32 = 16 * 1024;
/// and of others, which only repeat small reads.
const OTHER_CACHE_KIB: u32 = 1024;
/// Dirty pages that a transaction may keep in memory. If a page spilled to the log is changed
/// again, SQLite has to rewrite the checksums of all later frames.
const CACHE_SPILL_PAGES: i32 = 8_192;

/// The connections of one process to one file.
#[derive(Debug)]
pub(super) struct Pool {
    path: PathBuf,
    connections: Mutex<Connections>,
    returned: Condvar,
    /// Serializes the writers of this process, which would starve each other on the file's lock.
    writer: Mutex<()>,
    /// The files that the connections use, whatever the path leads to.
    files: FileIds,
    _own_files: OwnFiles,
    /// What the user must know about opening the file.
    notices: Vec<String>,
}

/// The exclusive right to write within this process.
pub(super) struct WriteLock<'pool>(
    #[expect(dead_code, reason = "held until dropped")] MutexGuard<'pool, ()>,
);

#[derive(Debug, Default)]
struct Connections {
    /// The front one wrote last: its page cache is still valid, since only its own writes happened.
    idle: VecDeque<Connection>,
    borrowed: usize,
    /// A borrowed connection is preparing statements and will be returned soon.
    is_warming_up: bool,
}

impl Pool {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let mut notices = database_files::inspect(path)?;
        if !path.is_file() {
            create_private_file(path)?;
        }
        let mut connection =
            connect(path, FIRST_CACHE_KIB).map_err(|error| error::explain(path, error))?;
        notices.extend(migrate::migrate(&mut connection, path)?);
        let connections = Mutex::new(Connections {
            idle: VecDeque::from([connection]),
            ..Connections::default()
        });
        let (returned, writer) = Default::default();
        let (files, own_files) = (FileIds::read(path), OwnFiles::add(&database_files(path)));
        let path = path.to_owned();
        Ok(Self { path, connections, returned, writer, files, _own_files: own_files, notices })
    }

    pub(super) fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Whether the path still leads to the files that are open.
    pub(super) fn is_current(&self) -> bool {
        self.files.are_at(&self.path)
    }

    /// Refuses what was written to files that no other process will ever open again.
    fn acknowledge<T>(&self, value: T) -> Result<T, StoreError> {
        if self.is_current() { Ok(value) } else { Err(StoreError::Replaced(self.path.clone())) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` on a connection of its own.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut borrowed = self.borrow();
        let worked = borrowed.connection().and_then(work);
        worked.map_err(|error| borrowed.explain(error))
    }

    /// Runs `work` in a write transaction, committed if it succeeds.
    pub(super) fn transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.transaction_locked(&self.write_lock()?, work)
    }

    /// Like [`Self::transaction`], for what can be written later: waits only briefly for others.
    pub(super) fn brief_transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let locked = || StoreError::Locked(self.path.clone());
        let wait = busy_timeout().min(BRIEF_TIMEOUT);
        let lock = self.writer.try_lock_for(wait).map(WriteLock).ok_or_else(locked)?;
        self.transaction_within(&lock, wait, work)?.ok_or_else(locked)
    }

    /// Waits for the write lock.
    pub(super) fn write_lock(&self) -> Result<WriteLock<'_>, StoreError> {
        let locked = || StoreError::Locked(self.path.clone());
        self.writer.try_lock_for(busy_timeout()).map(WriteLock).ok_or_else(locked)
    }

    /// Like [`Self::transaction`], with the write lock held.
    pub(super) fn transaction_locked<T>(
        &self,
        _: &WriteLock<'_>,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let value = self.with_writer(|connection| in_write_transaction(connection, work))?;
        self.acknowledge(value)
    }

    /// Reads a snapshot on the connection that wrote last, whose page cache is warm. Other
    /// processes may write in the meantime.
    pub(super) fn read_locked<T>(
        &self,
        _: &WriteLock<'_>,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with_writer(|connection| in_snapshot(connection, work))
    }

    fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut borrowed = self.borrow_writer();
        let worked = borrowed.connection().and_then(work);
        worked.map_err(|error| borrowed.explain(error))
    }

    /// Like [`Self::transaction`], but returns None if another thread or process is writing.
    pub(super) fn try_transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        match self.try_write_lock() {
            Some(lock) => self.try_transaction_locked(&lock, work),
            None => Ok(None),
        }
    }

    /// Returns the write lock if no other thread holds it.
    pub(super) fn try_write_lock(&self) -> Option<WriteLock<'_>> {
        self.writer.try_lock().map(WriteLock)
    }

    /// Like [`Self::transaction_locked`], but returns None if another process is writing.
    pub(super) fn try_transaction_locked<T>(
        &self,
        lock: &WriteLock<'_>,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.transaction_within(lock, Duration::ZERO, work)
    }

    /// Like [`Self::transaction_locked`], but returns None if another process is writing all the
    /// time.
    fn transaction_within<T>(
        &self,
        _: &WriteLock<'_>,
        wait: Duration,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.with_writer(|connection| {
            connection.busy_timeout(wait)?;
            let result = in_write_transaction(connection, work);
            connection.busy_handler(Some(wait_for_lock))?;
            match result {
                Err(error) if is_busy(&error) => Ok(None),
                result => result.map(Some),
            }
        })
    }

    /// Frees unused pages, and truncates the write-ahead log if it has grown.
    pub(super) fn maintain(&self) -> Result<(), StoreError> {
        self.with(vacuum_free_pages)?;
        if !needs_maintenance(&self.path) {
            return Ok(());
        }
        self.with(|connection| {
            // Does not wait for other processes: maintenance can happen later.
            connection.busy_timeout(Duration::ZERO)?;
            // PASSIVE copies most pages while others write, so that TRUNCATE, which blocks writers,
            // has few left.
            for how in ["PASSIVE", "TRUNCATE"] {
                let checkpoint = format!("PRAGMA wal_checkpoint({how})");
                connection.query_row(&checkpoint, [], |_| Ok(()))?;
            }
            connection.busy_handler(Some(wait_for_lock))
        })?;
        // The log was the space that a purge on a full disk could have reused.
        reserve::set_aside(&self.path);
        Ok(())
    }

    /// Returns the size of the database and its write-ahead log.
    pub(super) fn disk_bytes(&self) -> u64 {
        database_files(&self.path)
            .iter()
            .filter_map(|path| fs::metadata(path).ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Prepares statements in advance, on a thread that has nothing else to do.
    pub(super) fn warm_up(
        &self,
        mut statements: impl Iterator<Item = &'static str>,
    ) -> Result<(), StoreError> {
        let mut connections = self.connections.lock();
        let Some(connection) = connections.idle.pop_back() else { return Ok(()) };
        connections.borrowed += 1;
        connections.is_warming_up = true;
        drop(connections);
        let prepared = statements.try_for_each(|sql| connection.prepare_cached(sql).map(drop));
        let mut borrowed = Borrowed { pool: self, connection: Some(connection), writes: false };
        let prepared = prepared.map_err(|error| borrowed.explain(error));
        drop(borrowed);
        self.connections.lock().is_warming_up = false;
        prepared
    }

    fn borrow(&self) -> Borrowed<'_> {
        let mut connections = self.wait_for_connection();
        Borrowed { pool: self, connection: connections.idle.pop_back(), writes: false }
    }

    fn borrow_writer(&self) -> Borrowed<'_> {
        let mut connections = self.wait_for_connection();
        Borrowed { pool: self, connection: connections.idle.pop_front(), writes: true }
    }

    /// Waits until a connection may be borrowed, and counts it as borrowed.
    fn wait_for_connection(&self) -> MutexGuard<'_, Connections> {
        let mut connections = self.connections.lock();
        while connections.idle.is_empty()
            && (connections.borrowed >= MAX_CONNECTIONS || connections.is_warming_up)
        {
            if self.returned.wait_for(&mut connections, CONNECTION_TIMEOUT).timed_out() {
                break;
            }
        }
        connections.borrowed += 1;
        connections
    }
}

/// A borrowed connection; opened on first use if none was idle.
struct Borrowed<'pool> {
    pool: &'pool Pool,
    connection: Option<Connection>,
    /// Returned to the front, for the next writer.
    writes: bool,
}

impl Borrowed<'_> {
    fn connection(&mut self) -> rusqlite::Result<&mut Connection> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.pool.path, OTHER_CACHE_KIB)?,
        };
        Ok(self.connection.insert(connection))
    }

    /// Explains an error. What has none of the usual reasons may fail because a newer version has changed the schema.
    fn explain(&mut self, error: rusqlite::Error) -> StoreError {
        let path = &self.pool.path;
        let explained = error::explain(path, error);
        if !matches!(explained, StoreError::Engine { .. }) {
            return explained;
        }
        let newer = self.connection.as_ref().and_then(|it| migrate::newer_migration(it).ok()?);
        newer.map_or(explained, |migration| StoreError::Newer { path: path.clone(), migration })
    }
}

/// Runs `work` in a transaction that may write, and commits it if it succeeds.
pub(super) fn in_write_transaction<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // Immediate: a transaction that starts by reading may fail to upgrade to a write lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A migration takes the same lock, so none follows before the commit.
    if migrate::newer_migration(&transaction)?.is_some() {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_SCHEMA), None));
    }
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut connections = self.pool.connections.lock();
        connections.borrowed -= 1;
        if let Some(connection) = self.connection.take()
            && connections.idle.len() < MAX_CONNECTIONS
        {
            if self.writes {
                connections.idle.push_front(connection);
            } else {
                connections.idle.push_back(connection);
            }
        }
        self.pool.returned.notify_one();
    }
}

/// Runs queries on one snapshot; without it each query would lock and unlock the file.
pub(super) fn in_snapshot<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let snapshot = connection.unchecked_transaction()?;
    let value = work(&snapshot)?;
    snapshot.finish()?;
    Ok(value)
}

/// Shrinks the file by a bounded number of pages, once enough are free.
fn vacuum_free_pages(connection: &mut Connection) -> rusqlite::Result<()> {
    let free: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
    if free < VACUUM_PAGES {
        return Ok(());
    }
    vacuum(connection, Some(VACUUM_PAGES))
}

/// Returns free pages to the file system, all of them or at most `pages`.
pub(super) fn vacuum(connection: &Connection, pages: Option<i64>) -> rusqlite::Result<()> {
    let pages = pages.unwrap_or(0);
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    // Each step frees a page, so all rows are read; `execute_batch` would free one.
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}

fn connect(path: &Path, cache: u32) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(wait_for_lock))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise the last process to close checkpoints the whole log, 20 ms on a plain disk;
    // `maintain` does that in idle time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Plans do not depend on bound values without statistics, but SQLite would prepare each
    // statement twice to find out.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // With WAL, NORMAL keeps every committed transaction if a process dies.
    connection.execute_batch(&format!(
        // FAST: what is deleted is overwritten where that costs no extra write; a purge does the rest.
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA secure_delete = FAST;
         PRAGMA cache_size = -{cache}; PRAGMA cache_spill = {CACHE_SPILL_PAGES};"
    ))?;
    connection.wal_hook(Some(checkpoint_periodically()))?;
    Ok(connection)
}

/// Connects to a new database that rows are copied to, in any order.
pub(super) fn connect_for_salvage(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, FIRST_CACHE_KIB)?;
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    Ok(connection)
}

/// Checkpoints once per [`CHECKPOINT_PAGES`].
///
/// SQLite's default retries after every commit while readers prevent the log from restarting, and
/// syncs the disk each time.
fn checkpoint_periodically() -> impl FnMut(&mut Wal, i32) -> rusqlite::Result<()> + Send + 'static {
    let mut last_checkpoint = 0;
    move |log, pages| {
        if pages < last_checkpoint {
            last_checkpoint = 0;
        }
        if pages - last_checkpoint >= CHECKPOINT_PAGES {
            last_checkpoint = pages;
            // The commit has happened whatever the outcome; the next checkpoint tries again.
            let _ = log.checkpoint();
        }
        Ok(())
    }
}

/// Returns whether the write-ahead log of a store has grown, without opening the store.
pub fn needs_maintenance(path: &Path) -> bool {
    let [_, log, _] = database_files(path);
    fs::metadata(log).is_ok_and(|metadata| metadata.len() >= MAINTENANCE_WAL_BYTES)
}

/// Waits in short, constant pauses: SQLite's default backoff waits long after the lock is free.
///
/// Bounded by time, not by the number of pauses: a busy machine takes longer for each.
fn wait_for_lock(tries: i32) -> bool {
    thread_local! {
        static WAITING_SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
    }
    let now = Instant::now();
    let since = WAITING_SINCE.get().filter(|_| tries > 0).unwrap_or(now);
    WAITING_SINCE.set(Some(since));
    if now.duration_since(since) >= busy_timeout() {
        return false;
    }
    pause();
    true
}

/// Gives another process time to finish what it is writing.
#[expect(clippy::disallowed_methods, reason = "SQLite has no notification for a released lock")]
pub(super) fn pause() {
    std::thread::sleep(BUSY_PAUSE);
}

/// Opens a file that only this user can access, creating it and its folder as needed.
///
/// SQLite creates its log with the permissions of the database, so the database must exist first.
pub(super) fn create_private_file(path: &Path) -> Result<File, StoreError> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true).mode(0o600).open(path).map_err(StoreError::io(path))
}

/// Waits for a file lock of this name; the operating system releases it when the process ends.
pub(super) fn lock_beside(path: &Path, name: &str) -> Result<File, StoreError> {
    let lock_path = path.with_extension(name);
    let file = create_private_file(&lock_path)?;
    file.lock().map_err(StoreError::io(&lock_path))?;
    Ok(file)
}

pub(super) fn integrity_problems(
    connection: &Connection,
    check: &str,
) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("PRAGMA {check}(10)"))?;
    let rows: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    // The first line of a row may be a heading that names the database.
    let is_problem = |line: &&str| *line != "ok" && !line.starts_with("***");
    Ok(rows.iter().flat_map(|row| row.lines()).filter(is_problem).map(str::to_owned).collect())
}
