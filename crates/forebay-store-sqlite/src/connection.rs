//! Connections: how the file is opened, shared between threads, and set aside when damaged.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forebay_store::StoreError;
use forebay_store::busy_timeout;
use forebay_store::home::create_private_folder;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::migrate;
use crate::error;

/// The log is copied back into the database when it has grown by so many pages: 64 MB. Each time the disk is waited
/// for twice, and a page that was written more than once is copied once.
const LOG_PAGES: i32 = 16_000;
/// The first process to open a store reads its whole log, so it is kept below this when nobody waits.
const TIDY_LOG_BYTES: u64 = 1_000_000;
/// The pause between two tries for the write lock; transactions here take well below a millisecond.
const PAUSE: Duration = Duration::from_micros(300);
/// Free pages that are worth giving back, and so many at once: 4 MB.
const FREE_PAGES: i64 = 1_000;
/// Connections that are used at once. A new one costs more than the wait for one that is there.
const MOST_CONNECTIONS: usize = 6;
/// Whoever waited so long gets one more: what is held for long must not stop the others.
const LONGEST_WAIT: Duration = Duration::from_millis(200);
/// Memory for pages, in KiB: what a large write needs, for a connection that is often the only one,
const FIRST_CACHE: u32 = 16 * 1024;
/// and what a question reads again, for those beside it.
const FURTHER_CACHE: u32 = 1024;
/// Pages of one transaction that are kept in memory before the first of them is written. One that is written too soon
/// and changes again has all that were written after it read and sealed anew.
const UNWRITTEN_PAGES: i32 = 8_192;

/// The connections of one process to one file.
#[derive(Debug)]
pub(super) struct Pool {
    path: PathBuf,
    connections: Mutex<Connections>,
    given_back: Condvar,
    /// Whose turn it is to write. Threads that all tried for the file's lock would starve each other.
    turn: Mutex<()>,
}

/// The turn to write.
pub(super) struct Turn<'pool>(#[expect(dead_code, reason = "it is held")] MutexGuard<'pool, ()>);

#[derive(Debug, Default)]
struct Connections {
    /// The first is who wrote last: to it alone its own writes are no news, and it keeps the pages it knows.
    idle: VecDeque<Connection>,
    lent: usize,
    /// One of those lent will be back at once, and ready.
    is_getting_ready: bool,
}

impl Pool {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            create_private_file(path)?;
        }
        let mut connection =
            connect(path, FIRST_CACHE).map_err(|error| error::explain(path, error))?;
        migrate::bring_up_to_date(&mut connection, path)?;
        let connections = Mutex::new(Connections {
            idle: VecDeque::from([connection]),
            ..Connections::default()
        });
        let (given_back, turn) = Default::default();
        Ok(Self { path: path.to_owned(), connections, given_back, turn })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` on a connection of its own.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut lent = self.lend();
        lent.connection().and_then(work).map_err(|error| self.explain(error))
    }

    /// Runs `work` in a write transaction; it is committed when `work` succeeds.
    pub(super) fn in_transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.in_turn(&self.take_turn()?, work)
    }

    /// Waits for the turn to write.
    pub(super) fn take_turn(&self) -> Result<Turn<'_>, StoreError> {
        let locked = || StoreError::Locked(self.path.clone());
        self.turn.try_lock_for(busy_timeout()).map(Turn).ok_or_else(locked)
    }

    /// The same as [`Self::in_transaction`] for whoever has the turn.
    pub(super) fn in_turn<T>(
        &self,
        _: &Turn<'_>,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with_writer(|connection| {
            // Immediate: a transaction that starts by reading could not become a writer later.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    /// Reads the store as it is now with the connection that wrote last, which has most pages at hand. Other processes
    /// may write meanwhile.
    pub(super) fn read_in_turn<T>(
        &self,
        _: &Turn<'_>,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with_writer(|connection| at_one_moment(connection, work))
    }

    fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut lent = self.lend_to_write();
        lent.connection().and_then(work).map_err(|error| self.explain(error))
    }

    /// The same, or nothing where another thread or process is writing.
    pub(super) fn in_transaction_unless_busy<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        match self.turn_unless_taken() {
            Some(turn) => self.in_turn_unless_busy(&turn, work),
            None => Ok(None),
        }
    }

    /// The turn to write, if no other thread has it.
    pub(super) fn turn_unless_taken(&self) -> Option<Turn<'_>> {
        self.turn.try_lock().map(Turn)
    }

    /// The same as [`Self::in_turn`], or nothing where another process is writing.
    pub(super) fn in_turn_unless_busy<T>(
        &self,
        _: &Turn<'_>,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.with_writer(|connection| {
            connection.busy_timeout(Duration::ZERO)?;
            let done = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .and_then(|transaction| {
                    let value = work(&transaction)?;
                    transaction.commit()?;
                    Ok(value)
                });
            connection.busy_handler(Some(wait_for_the_writer))?;
            match done {
                Err(error) if is_busy(&error) => Ok(None),
                done => done.map(Some),
            }
        })
    }

    /// Gives some free pages back, and copies the log back when it has grown.
    pub(super) fn tidy(&self) -> Result<(), StoreError> {
        self.with(give_back_free_pages)?;
        if !wants_tidying(&self.path) {
            return Ok(());
        }
        self.with(|connection| {
            // Where another process is at work this is not the moment: no waiting for it.
            connection.busy_timeout(Duration::ZERO)?;
            // Others write while it is copied back; only who shortens the log keeps them waiting, and copies the rest.
            for how in ["PASSIVE", "TRUNCATE"] {
                let checkpoint = format!("PRAGMA wal_checkpoint({how})");
                connection.query_row(&checkpoint, [], |_| Ok(()))?;
            }
            connection.busy_handler(Some(wait_for_the_writer))
        })
    }

    /// Bytes of the database and its write-ahead log.
    pub(super) fn disk_bytes(&self) -> u64 {
        companions(&self.path)
            .iter()
            .filter_map(|path| fs::metadata(path).ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Prepares statements, for a thread that is busy with something else before it needs them.
    pub(super) fn warm_up(
        &self,
        mut statements: impl Iterator<Item = &'static str>,
    ) -> Result<(), StoreError> {
        let mut connections = self.connections.lock();
        let Some(connection) = connections.idle.pop_back() else { return Ok(()) };
        connections.lent += 1;
        connections.is_getting_ready = true;
        drop(connections);
        let prepared = statements.try_for_each(|sql| connection.prepare_cached(sql).map(drop));
        drop(Lent { pool: self, connection: Some(connection), writes: false });
        self.connections.lock().is_getting_ready = false;
        prepared.map_err(|error| self.explain(error))
    }

    fn lend(&self) -> Lent<'_> {
        let mut connections = self.lendable();
        Lent { pool: self, connection: connections.idle.pop_back(), writes: false }
    }

    fn lend_to_write(&self) -> Lent<'_> {
        let mut connections = self.lendable();
        Lent { pool: self, connection: connections.idle.pop_front(), writes: true }
    }

    /// The connections when one of them can be lent, which is counted.
    fn lendable(&self) -> MutexGuard<'_, Connections> {
        let mut connections = self.connections.lock();
        while connections.idle.is_empty()
            && (connections.lent >= MOST_CONNECTIONS || connections.is_getting_ready)
        {
            if self.given_back.wait_for(&mut connections, LONGEST_WAIT).timed_out() {
                break;
            }
        }
        connections.lent += 1;
        connections
    }

    fn explain(&self, error: rusqlite::Error) -> StoreError {
        error::explain(&self.path, error)
    }
}

/// A connection while it is used; there is none before it is first asked for.
struct Lent<'pool> {
    pool: &'pool Pool,
    connection: Option<Connection>,
    /// It goes back to where the next who writes takes it from.
    writes: bool,
}

impl Lent<'_> {
    fn connection(&mut self) -> rusqlite::Result<&mut Connection> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.pool.path, FURTHER_CACHE)?,
        };
        Ok(self.connection.insert(connection))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut connections = self.pool.connections.lock();
        connections.lent -= 1;
        if let Some(connection) = self.connection.take()
            && connections.idle.len() < MOST_CONNECTIONS
        {
            if self.writes {
                connections.idle.push_front(connection);
            } else {
                connections.idle.push_back(connection);
            }
        }
        self.pool.given_back.notify_one();
    }
}

/// Runs many small queries on the store as it is now: each for itself would lock and unlock the file.
pub(super) fn at_one_moment<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let moment = connection.unchecked_transaction()?;
    let value = work(&moment)?;
    moment.finish()?;
    Ok(value)
}

/// Shortens the file by a bounded number of pages, once enough of them are free.
fn give_back_free_pages(connection: &mut Connection) -> rusqlite::Result<()> {
    let free: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
    if free < FREE_PAGES {
        return Ok(());
    }
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({FREE_PAGES})"))?;
    // Each step frees a page, so all of them are taken.
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
    connection.busy_handler(Some(wait_for_the_writer))?;
    connection.set_prepared_statement_cache_capacity(64);
    // The last process to close would copy the whole log back and sync it, 20 ms on a plain disk,
    // while its user waits. `tidy` does that when nobody does.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Without statistics a plan does not depend on what is bound; SQLite would yet prepare each statement twice.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // With WAL, NORMAL keeps every committed transaction when a process dies, whatever the moment.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -{cache}; PRAGMA cache_spill = {UNWRITTEN_PAGES};"
    ))?;
    connection.wal_hook(Some(copy_back_now_and_then()))?;
    Ok(connection)
}

/// Copies the log back once in [`LOG_PAGES`].
///
/// SQLite's own rule tries again with every commit for as long as other processes keep it from
/// starting the log anew, and syncs the disk each time.
fn copy_back_now_and_then() -> impl FnMut(&mut Wal, i32) -> rusqlite::Result<()> + Send + 'static {
    let mut last_try = 0;
    move |log, pages| {
        if pages < last_try {
            last_try = 0;
        }
        if pages - last_try >= LOG_PAGES {
            last_try = pages;
            // Whatever hinders it now, the commit has happened; the next try is not far.
            let _ = log.checkpoint();
        }
        Ok(())
    }
}

/// Whether the log of a store has grown; told without opening it.
pub fn wants_tidying(path: &Path) -> bool {
    let [_, log, _] = companions(path);
    fs::metadata(log).is_ok_and(|metadata| metadata.len() >= TIDY_LOG_BYTES)
}

/// Short, even pauses: SQLite's own growing ones leave a writer waiting long after the lock is free.
fn wait_for_the_writer(tries: i32) -> bool {
    let give_up = busy_timeout().as_micros() / PAUSE.as_micros();
    if tries as u128 >= give_up {
        return false;
    }
    pause();
    true
}

#[expect(clippy::disallowed_methods, reason = "SQLite offers no event for a freed lock")]
fn pause() {
    std::thread::sleep(PAUSE);
}

/// Opens a file that only this user can read, making it and its folder as needed.
///
/// SQLite gives its log and index files the permissions of the database, so it must come first.
pub(super) fn create_private_file(path: &Path) -> Result<File, StoreError> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true).mode(0o600).open(path).map_err(StoreError::io(path))
}

/// Waits for, and holds, the lock of this name; the operating system frees it when a process dies.
pub(super) fn lock_beside(path: &Path, name: &str) -> Result<File, StoreError> {
    let lock_path = path.with_extension(name);
    let file = create_private_file(&lock_path)?;
    file.lock().map_err(StoreError::io(&lock_path))?;
    Ok(file)
}

/// Renames a damaged database, with its log, to a name nobody uses; the new path is returned.
pub fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let aside = (0..u32::MAX)
        .map(|number| path.with_extension(format!("damaged-{seconds}-{number}")))
        .find(|candidate| !candidate.exists())
        .unwrap_or_else(|| path.with_extension("damaged"));
    for (from, to) in companions(path).iter().zip(companions(&aside)) {
        if from.exists() {
            fs::rename(from, &to).map_err(StoreError::io(from))?;
        }
    }
    Ok(aside)
}

/// The database file, its write-ahead log and its shared index.
fn companions(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    })
}

pub(super) fn integrity_faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA quick_check(10)")?;
    let lines: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}
