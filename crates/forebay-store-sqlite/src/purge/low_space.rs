//! A purge on a full disk.
//!
//! Overwriting what is deleted takes as much log as there is to delete. Here pages are freed without being written, a
//! few entries per transaction, and an incremental vacuum removes them, and the bytes in them, from the file.
//!
//! The log starts over whenever that needs no space. While it has pages beyond the end of the database file, copying it
//! would extend the file and so take the little space that a transaction needs; until a vacuum has brought the end back,
//! transactions are appended to the log.

use std::fs;
use std::ops::Range;

use forebay_domain::Timestamp;
use forebay_store::retention::{LowSpace, PurgedEntry, summarize};
use forebay_store::{PurgeReport, PurgeSelection};
use rusqlite::{Connection, ErrorCode};

use super::{
    clean_up, connection, delete_entries, in_write_transaction, purge_in_transaction, select,
};

/// Entries that the first transaction deletes; halved whenever they take too much space.
const MAX_ENTRIES: usize = 64;
/// The same for the pages of a vacuum.
const MAX_PAGES: usize = 256;

pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

/// Deletes what a selection covers, as far as the space lasts.
pub(super) fn purge(
    connection: &mut Connection,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<PurgeReport> {
    let bytes_before = file_bytes(connection)?;
    connection.execute_batch("PRAGMA secure_delete = FAST")?;
    let entries = select(connection, selection, now)?;
    let deleted = in_steps(connection, entries.len(), MAX_ENTRIES, |connection, step| {
        delete(connection, &entries[step], selection, now)
    })?;
    let mut report = summarize(&entries[..deleted]);
    let rest = match purge_rest(connection, selection, now) {
        Err(error) if is_full(&error) => {
            remove_free_pages(connection)?;
            purge_rest(connection, selection, now)
        }
        rest => rest,
    };
    let is_finished = match rest {
        Ok(rest) => {
            report.add(rest);
            true
        }
        Err(error) if is_full(&error) && deleted > 0 => false,
        Err(error) => return Err(error),
    };
    shrink(connection, report, bytes_before, is_finished)
}

/// Returns to the disk what a purge has deleted.
pub(super) fn reclaim(
    connection: &mut Connection,
    report: PurgeReport,
) -> rusqlite::Result<PurgeReport> {
    let bytes_before = file_bytes(connection)?;
    shrink(connection, report, bytes_before, true)
}

fn shrink(
    connection: &mut Connection,
    report: PurgeReport,
    bytes_before: usize,
    is_finished: bool,
) -> rusqlite::Result<PurgeReport> {
    remove_free_pages(connection)?;
    checkpoint(connection, "TRUNCATE")?;
    let returned_bytes = bytes_before.saturating_sub(file_bytes(connection)?) as u64;
    Ok(PurgeReport { low_space: Some(LowSpace { returned_bytes, is_finished }), ..report })
}

fn delete(
    connection: &mut Connection,
    entries: &[PurgedEntry],
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<()> {
    in_write_transaction(connection, |transaction| {
        delete_entries(transaction, entries, selection, now)
    })
}

/// Deletes events, and what only deleted entries have used: most of the index.
fn purge_rest(
    connection: &mut Connection,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<PurgeReport> {
    in_write_transaction(connection, |transaction| {
        let rest = purge_in_transaction(transaction, selection, now)?;
        clean_up(transaction)?;
        Ok(rest)
    })
}

fn remove_free_pages(connection: &mut Connection) -> rusqlite::Result<()> {
    let free = pragma(connection, "freelist_count")?;
    if free < pages_beyond_file(connection)? {
        // The pages that a vacuum moves would stay in the log, and the file as long as it is.
        return Ok(());
    }
    in_steps(connection, free, MAX_PAGES, |connection, step| {
        connection::vacuum(connection, Some(step.len() as i64))
    })
    .map(drop)
}

/// Does `work` on consecutive ranges of `count` items, halving a range whose log does not fit on the disk. Returns how
/// many items are done when all are, or when not even one fits.
fn in_steps(
    connection: &mut Connection,
    count: usize,
    mut size: usize,
    mut work: impl FnMut(&mut Connection, Range<usize>) -> rusqlite::Result<()>,
) -> rusqlite::Result<usize> {
    let mut done = 0;
    while done < count {
        // TRUNCATE would give the log's space to the process that fills the disk.
        checkpoint(connection, "RESTART")?;
        let end = (done + size).min(count);
        match work(connection, done..end) {
            Ok(()) => done = end,
            Err(error) if is_full(&error) && size == 1 => break,
            Err(error) if is_full(&error) => size /= 2,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Copies the log to the database if that does not extend the file, and other processes permit it.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    if pages_beyond_file(connection)? == 0 {
        let _ = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()));
    }
    Ok(())
}

/// Returns how many pages of the database are only in the log, because the file ends before them.
fn pages_beyond_file(connection: &Connection) -> rusqlite::Result<usize> {
    let pages = pragma(connection, "page_count")?;
    let page_bytes = pragma(connection, "page_size")?;
    let file = connection.path().and_then(|path| fs::metadata(path).ok());
    let file_pages = file.map_or(0, |file| file.len() as usize / page_bytes.max(1));
    Ok(pages.saturating_sub(file_pages))
}

fn file_bytes(connection: &Connection) -> rusqlite::Result<usize> {
    Ok(pragma(connection, "page_count")? * pragma(connection, "page_size")?)
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<usize> {
    connection
        .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
        .map(|number| number as usize)
}
