//! Copies what is whole from a damaged database to a new file; the damaged one is only read.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use forebay_store::StoreError;
use forebay_store::blob::StoredPart;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, Transaction, params_from_iter};

use super::connection::{self, Pool, lock_beside};
use super::database_files::{database_files, quarantine};
use crate::error;

/// Tables with rows that cannot be made again, each after those it refers to. The search index and
/// derived values are made again.
const TABLES: &[&str] = &[
    "session",
    "blob",
    "blob_part",
    "entry",
    "run",
    "command_run",
    "note",
    "link",
    "chunk",
    "model",
    "meaning",
    "embedding",
    "event",
    "model_request",
    "mark",
    "usage",
    "compaction",
    "treatment",
    "switch_off",
    "gone",
    "source",
    "source_item",
    "imported",
    "twin",
    "conflict",
    "file_at_work",
    "told_session",
    "token",
];
/// Rows that are searched one by one behind a damaged page before the steps grow.
const SINGLE_STEPS: i64 = 1_000;

/// Makes the rows consistent: a row that lost its owner is dropped, an entry that lost only its
/// session or content is kept.
const RECONCILE: &str = "
    INSERT INTO session (id, key, started, last_used)
        SELECT session, 'salvaged-' || session, min(created), max(created) FROM entry
        WHERE session IS NOT NULL AND session NOT IN (SELECT id FROM session) GROUP BY session;
    INSERT INTO blob (id, bytes) SELECT DISTINCT blob, 1 FROM entry
        WHERE blob NOT IN (SELECT id FROM blob);
    DELETE FROM blob_part WHERE blob NOT IN (SELECT id FROM blob);
    UPDATE note SET superseded_by = NULL WHERE superseded_by NOT IN (SELECT id FROM entry);
    DELETE FROM run WHERE entry NOT IN (SELECT id FROM entry);
    DELETE FROM command_run WHERE entry NOT IN (SELECT id FROM entry);
    DELETE FROM note WHERE entry NOT IN (SELECT id FROM entry);
    DELETE FROM link WHERE note NOT IN (SELECT id FROM entry) OR entry NOT IN (SELECT id FROM entry);
    DELETE FROM twin WHERE entry NOT IN (SELECT id FROM entry);
    DELETE FROM conflict WHERE entry NOT IN (SELECT id FROM entry) OR other NOT IN (SELECT id FROM entry);
    DELETE FROM chunk WHERE entry NOT IN (SELECT id FROM entry);
    DELETE FROM meaning WHERE chunk NOT IN (SELECT id FROM chunk) OR model NOT IN (SELECT id FROM model);
    DELETE FROM embedding WHERE chunk NOT IN (SELECT id FROM chunk) OR model NOT IN (SELECT id FROM model);
    DELETE FROM event WHERE session NOT IN (SELECT id FROM session);
    DELETE FROM model_request WHERE session NOT IN (SELECT id FROM session);
    DELETE FROM source_item WHERE entry NOT IN (SELECT id FROM entry) OR source NOT IN (SELECT id FROM source);
    UPDATE renewal SET next = 1, last = (SELECT coalesce(max(id), 0) FROM chunk);";

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvage {
    /// The new database.
    pub path: PathBuf,
    pub entries: u64,
    /// Tables that lost rows.
    pub damaged_tables: Vec<&'static str>,
}

/// Copies what can be read of a database to a new file beside it.
pub fn salvage(path: &Path, progress: &mut dyn FnMut(&str)) -> Result<Salvage, StoreError> {
    let target = unused_name(path);
    drop(Pool::open(&target)?);
    let source = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| error::explain(path, error))?;
    let copied = copy(&source, &target, progress).map_err(|error| error::explain(&target, error));
    copied.map(|(entries, damaged_tables)| Salvage { path: target, entries, damaged_tables })
}

/// Puts a salvaged database in the place of the damaged one; returns the new name of that one.
pub fn install(path: &Path, salvaged: &Path) -> Result<PathBuf, StoreError> {
    let _repair_lock = lock_beside(path, "repair")?;
    let aside = quarantine(path)?;
    for (from, to) in database_files(salvaged).iter().zip(database_files(path)) {
        if from.exists() {
            std::fs::rename(from, &to).map_err(StoreError::io(from))?;
        }
    }
    Ok(aside)
}

fn unused_name(path: &Path) -> PathBuf {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let name = |number| path.with_extension(format!("salvaged-{seconds}-{number}"));
    (0..u32::MAX).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(u32::MAX))
}

fn copy(
    source: &Connection,
    target: &Path,
    progress: &mut dyn FnMut(&str),
) -> rusqlite::Result<(u64, Vec<&'static str>)> {
    let mut connection = connection::connect_for_salvage(target)?;
    let transaction = connection.transaction()?;
    let mut damaged = Vec::new();
    for table in TABLES {
        progress(table);
        if !(Table::new(&transaction, table)?.copy(source, &transaction)?) {
            damaged.push(*table);
        }
    }
    transaction.execute_batch(RECONCILE)?;
    let entries = "SELECT count(*) FROM entry WHERE complete";
    let entries = transaction.query_row(entries, [], |row| row.get::<_, i64>(0))?;
    transaction.commit()?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok((entries as u64, damaged))
}

/// A table that is copied row by row.
struct Table {
    name: &'static str,
    columns: Vec<String>,
    has_rowid: bool,
}

impl Table {
    fn new(target: &Connection, name: &'static str) -> rusqlite::Result<Self> {
        let columns = target
            .prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?
            .query_map([name], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let has_rowid = target.query_row(
            "SELECT NOT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1",
            [name],
            |row| row.get(0),
        )?;
        Ok(Self { name, columns, has_rowid })
    }

    /// Copies what can be read; returns whether that was everything.
    fn copy(&self, source: &Connection, target: &Transaction<'_>) -> rusqlite::Result<bool> {
        let marks = vec!["?"; self.columns.len()].join(", ");
        let insert = format!(
            "INSERT OR IGNORE INTO {} ({}) VALUES ({marks})",
            self.name,
            self.columns.join(", ")
        );
        let mut insert = target.prepare(&insert)?;
        let mut is_complete = true;
        let mut write = |row: &Row<'_>, first: usize| -> rusqlite::Result<()> {
            let values = (0..self.columns.len()).map(|column| row.get(first + column));
            let values = values.collect::<Result<Vec<Value>, _>>()?;
            if self.is_whole(&values) {
                insert.execute(params_from_iter(values))?;
            } else {
                is_complete = false;
            }
            Ok(())
        };
        let read_all = if self.has_rowid {
            self.by_rowid(source, &mut write)
        } else {
            // Damage ends a scan, so a second one comes from the other end.
            self.scan(source, "", &mut write) || {
                self.scan(source, "DESC", &mut write);
                false
            }
        };
        Ok(read_all && is_complete)
    }

    /// Whether a row is worth copying: a part of a blob only if it matches its checksum.
    fn is_whole(&self, values: &[Value]) -> bool {
        if self.name != "blob_part" {
            return true;
        }
        let number = |name: &str| match self.value(values, name) {
            Some(Value::Integer(number)) => Some(*number as u64),
            _ => None,
        };
        let data = match self.value(values, "data") {
            Some(Value::Blob(data)) => Some(data),
            _ => None,
        };
        let part = (number("start"), number("line"), number("bytes"), data);
        match part {
            (Some(start), Some(line), Some(bytes), Some(data)) => {
                StoredPart { start, line, bytes, data }.decode().is_some()
            }
            _ => false,
        }
    }

    fn value<'v>(&self, values: &'v [Value], name: &str) -> Option<&'v Value> {
        let column = self.columns.iter().position(|column| column == name)?;
        values.get(column)
    }

    /// Reads the rows in the order of their ids, and behind a damaged page goes on with the next
    /// row that can be read.
    fn by_rowid(
        &self,
        source: &Connection,
        write: &mut dyn FnMut(&Row<'_>, usize) -> rusqlite::Result<()>,
    ) -> bool {
        let (columns, name) = (self.columns.join(", "), self.name);
        let sql = format!(
            "SELECT rowid, {columns} FROM {name} NOT INDEXED WHERE rowid > ?1 ORDER BY rowid"
        );
        let (mut last, mut is_complete) = (i64::MIN, true);
        let mut resumed_at = None;
        loop {
            let read = source.prepare_cached(&sql).and_then(|mut select| {
                let mut rows = select.query([last])?;
                while let Some(row) = rows.next()? {
                    let id = row.get(0)?;
                    // A row that cannot be written is lost, but not those after it.
                    is_complete &= write(row, 1).is_ok();
                    last = id;
                }
                Ok(())
            });
            if read.is_ok() {
                return is_complete;
            }
            is_complete = false;
            // A row may have an id that can be read, but not the rest.
            let lost = last.saturating_add(i64::from(resumed_at == Some(last)));
            let Some(next) = self.next_readable(source, lost.max(0)) else { return false };
            last = next - 1;
            resumed_at = Some(last);
        }
    }

    /// Returns the id of the next row that can be read.
    fn next_readable(&self, source: &Connection, last: i64) -> Option<i64> {
        let sql = format!(
            "SELECT rowid FROM {} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid LIMIT 1",
            self.name
        );
        let growing = (0..40).map(|power| SINGLE_STEPS << power);
        for step in (1..SINGLE_STEPS).chain(growing) {
            let from = last.checked_add(step)?;
            let found = source
                .prepare_cached(&sql)
                .and_then(|mut select| select.query_row([from], |row| row.get(0)).optional());
            if let Ok(found) = found {
                return found;
            }
        }
        None
    }

    /// Reads the rows in the order of the key until one cannot be read; returns whether all could.
    fn scan(
        &self,
        source: &Connection,
        direction: &str,
        write: &mut dyn FnMut(&Row<'_>, usize) -> rusqlite::Result<()>,
    ) -> bool {
        let (columns, name) = (self.columns.join(", "), self.name);
        let sql = format!("SELECT {columns} FROM {name} ORDER BY 1 {direction}");
        let read = source.prepare(&sql).and_then(|mut select| {
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                write(row, 0)?;
            }
            Ok(())
        });
        read.is_ok()
    }
}
