//! Deletes entries and events permanently, leaving tombstones that explain their references.

mod low_space;

use forebay_domain::{Reference, Timestamp};
use forebay_store::retention::{ABANDONED_UPLOAD, ACTIVE_SESSION, PurgedEntry, reason, summarize};
use forebay_store::{Expiry, PurgeReport, PurgeSelection};
use rusqlite::{Connection, OptionalExtension, Transaction, params_from_iter};

use self::low_space::is_full;
use super::conditions::Conditions;
use super::connection::in_write_transaction;
use super::{connection, derived, entries, inverted_index, sources, working_set};

/// The tables of what happened in a session, each with its time.
const EVENT_TABLES: [&str; 2] = ["event", "model_request"];

/// Counts of what sessions did. They are deleted with it, and a report does not list them.
const COUNTER_TABLES: [&str; 5] = ["usage", "asked", "compaction", "treatment", "switch_off"];

/// Returns what a purge would delete.
pub(super) fn preview(
    connection: &Connection,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<PurgeReport> {
    let mut report = summarize(&select(connection, selection, now)?);
    for table in EVENT_TABLES {
        report.events += events_to_purge(connection, table, selection, now)?.len() as u64;
    }
    Ok(report)
}

/// Deletes what a selection covers, and overwrites the bytes in the file.
pub(super) fn purge(
    connection: &mut Connection,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<PurgeReport> {
    connection.execute_batch("PRAGMA secure_delete = ON")?;
    let purged = in_write_transaction(connection, |transaction| {
        purge_in_transaction(transaction, selection, now)
    });
    let report = match purged {
        Err(error) if is_full(&error) => low_space::purge(connection, selection, now),
        Ok(report) if report.count() > 0 || selection.everything => {
            reclaim_space(connection, selection, report)
        }
        result => result,
    };
    connection.execute_batch("PRAGMA secure_delete = FAST")?;
    report
}

/// Returns free pages to the file system.
fn reclaim_space(
    connection: &mut Connection,
    selection: &PurgeSelection,
    report: PurgeReport,
) -> rusqlite::Result<PurgeReport> {
    match rewrite_or_vacuum(connection, selection) {
        // The entries are deleted, whatever becomes of their space.
        Err(error) if is_full(&error) => low_space::reclaim(connection, report),
        result => result.map(|()| report),
    }
}

fn rewrite_or_vacuum(connection: &Connection, selection: &PurgeSelection) -> rusqlite::Result<()> {
    if selection.everything {
        // Little is left to copy, and no page keeps what an older version deleted.
        connection.execute_batch("VACUUM")?;
    }
    connection::vacuum(connection, None)?;
    // The file shrinks when the log is copied into it.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn purge_in_transaction(
    transaction: &Transaction<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<PurgeReport> {
    let entries_to_purge = select(transaction, selection, now)?;
    delete_entries(transaction, &entries_to_purge, selection, now)?;
    let events = delete_events(transaction, selection, now)?;
    delete_counters(transaction, selection, now)?;
    delete_abandoned(transaction, now)?;
    if selection.everything {
        derived::delete_all(transaction)?;
    }
    if selection.everything || selection.covers_whole_session() {
        working_set::delete_session(transaction, selection.session.as_deref())?;
    }
    let report = PurgeReport { events, ..summarize(&entries_to_purge) };
    if report.count() > 0 {
        clean_up(transaction)?;
    }
    Ok(report)
}

fn delete_entries(
    transaction: &Transaction<'_>,
    entries: &[PurgedEntry],
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let reason_text = reason(selection);
    entries.iter().try_for_each(|entry| {
        add_tombstone(transaction, entry.reference, reason_text, now)?;
        entries::delete(transaction, entry.entry)
    })
}

/// Deletes what happened in sessions; returns how many rows that were.
fn delete_events(
    transaction: &Transaction<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<u64> {
    let mut count = 0;
    for table in EVENT_TABLES {
        let events = events_to_purge(transaction, table, selection, now)?;
        let mut delete =
            transaction.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?;
        events.iter().try_for_each(|event| delete.execute([event]).map(drop))?;
        count += events.len() as u64;
    }
    Ok(count)
}

fn delete_counters(
    transaction: &Transaction<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<()> {
    if !selection.covers_events() {
        return Ok(());
    }
    let mut conditions = Conditions::default();
    conditions.add_text("session = ?", selection.session.as_deref());
    for age in selection.event_ages() {
        conditions.add("at < ?", [now.minus(age).0.into()]);
    }
    for table in COUNTER_TABLES {
        let sql = format!("DELETE FROM {table} WHERE TRUE {}", conditions.sql);
        transaction.execute(&sql, params_from_iter(&conditions.values))?;
    }
    Ok(())
}

/// Deletes what only deleted entries and events have used.
fn clean_up(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    sources::drop_empty(transaction)?;
    inverted_index::purge_tombstones(transaction)?;
    delete_empty_sessions(transaction)
}

fn delete_empty_sessions(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "DELETE FROM session
         WHERE id NOT IN (SELECT session FROM entry WHERE session IS NOT NULL)
           AND id NOT IN (SELECT session FROM event)
           AND id NOT IN (SELECT session FROM model_request);
         DELETE FROM mark WHERE session NOT IN (SELECT key FROM session);",
    )
}

fn events_to_purge(
    connection: &Connection,
    table: &str,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<Vec<i64>> {
    if !selection.covers_events() {
        return Ok(Vec::new());
    }
    let mut conditions = Conditions::default();
    conditions.add_text("session.key = ?", selection.session.as_deref());
    for age in selection.event_ages() {
        conditions.add(&format!("{table}.created < ?"), [now.minus(age).0.into()]);
    }
    if selection.expired.is_some() {
        conditions.add("session.last_used < ?", [now.minus(ACTIVE_SESSION).0.into()]);
    }
    let Conditions { sql, values } = conditions;
    connection
        .prepare(&format!(
            "SELECT {table}.id FROM {table} JOIN session ON session.id = {table}.session
             WHERE TRUE {sql}"
        ))?
        .query_map(params_from_iter(values), |row| row.get(0))?
        .collect()
}

/// Deletes the entry of a source that is being replaced, leaving a tombstone.
pub(super) fn delete_source(transaction: &Transaction<'_>, source: &str) -> rusqlite::Result<()> {
    let replaced: Vec<(i64, String)> = transaction
        .prepare_cached(
            "SELECT id, ref FROM entry WHERE complete AND source = ?1 AND kind = 'source'",
        )?
        .query_map([source], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (entry, reference) in &replaced {
        let reference = entries::parse_reference(reference)?;
        replace(transaction, *entry, reference, source, Timestamp::default())?;
    }
    sources::drop_empty(transaction)
}

/// Deletes an entry that a newer one replaces, leaving a tombstone.
pub(super) fn replace(
    transaction: &Transaction<'_>,
    entry: i64,
    reference: Reference,
    source: &str,
    at: Timestamp,
) -> rusqlite::Result<()> {
    add_tombstone(transaction, reference, &format!("the source `{source}` was indexed again"), at)?;
    entries::delete(transaction, entry)
}

pub(super) fn tombstone(
    connection: &Connection,
    reference: Reference,
) -> rusqlite::Result<Option<(String, Timestamp)>> {
    connection
        .prepare_cached("SELECT why, at FROM gone WHERE ref = ?1")?
        .query_row([reference.as_str()], |row| Ok((row.get(0)?, Timestamp(row.get(1)?))))
        .optional()
}

fn select(
    connection: &Connection,
    selection: &PurgeSelection,
    now: Timestamp,
) -> rusqlite::Result<Vec<PurgedEntry>> {
    if selection.is_empty() {
        return Ok(Vec::new());
    }
    let Conditions { sql: conditions, values } = conditions(selection, now);
    let limit = selection.expired.as_ref().map_or(i64::MAX, |expiry| expiry.limit as i64);
    connection
        .prepare(&format!(
            "SELECT entry.id, entry.ref, entry.title, entry.kind = 'note', blob.bytes
             FROM entry JOIN blob ON blob.id = entry.blob JOIN session ON session.id = entry.session
             WHERE entry.complete {conditions} ORDER BY entry.id LIMIT {limit}"
        ))?
        .query_map(params_from_iter(values), |row| {
            Ok(PurgedEntry {
                entry: row.get(0)?,
                reference: entries::parse_reference(&row.get::<_, String>(1)?)?,
                title: row.get(2)?,
                is_note: row.get(3)?,
                bytes: row.get::<_, i64>(4)? as u64,
            })
        })?
        .collect()
}

fn conditions(selection: &PurgeSelection, now: Timestamp) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_one_of("entry.ref", selection.references.iter().map(Reference::as_str));
    conditions.add_text("entry.source GLOB ?", selection.source.as_deref());
    conditions.add_text("session.key = ?", selection.session.as_deref());
    if let Some(age) = selection.older_than {
        conditions.add("entry.created < ?", [now.minus(age).0.into()]);
    }
    if let Some(expiry) = &selection.expired {
        add_expiry(&mut conditions, expiry, now);
    }
    conditions
}

/// Selects expired entries, except of active sessions, linked from notes, or pinned.
fn add_expiry(conditions: &mut Conditions, expiry: &Expiry, now: Timestamp) {
    let expired: Vec<String> = expiry
        .keep
        .iter()
        .map(|(kind, _)| format!("(entry.kind = '{}' AND entry.created < ?)", kind.as_str()))
        .collect();
    let any = if expired.is_empty() { "FALSE".to_owned() } else { expired.join(" OR ") };
    let cutoffs = expiry.keep.iter().map(|(_, keep)| now.minus(*keep).0.into());
    conditions.add(&format!("({any})"), cutoffs);
    conditions.add("session.last_used < ?", [now.minus(ACTIVE_SESSION).0.into()]);
    conditions.add("NOT EXISTS (SELECT 1 FROM link WHERE link.entry = entry.id)", []);
    let is_pinned =
        "SELECT 1 FROM note WHERE note.entry = entry.id AND pinned AND superseded_by IS NULL";
    conditions.add(&format!("NOT EXISTS ({is_pinned})"), []);
}

fn delete_abandoned(transaction: &Transaction<'_>, now: Timestamp) -> rusqlite::Result<()> {
    let abandoned: Vec<i64> = transaction
        .prepare("SELECT id FROM entry WHERE NOT complete AND created < ?1")?
        .query_map([now.minus(ABANDONED_UPLOAD).0], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    abandoned.iter().try_for_each(|entry| entries::delete(transaction, *entry))
}

fn add_tombstone(
    transaction: &Transaction<'_>,
    reference: Reference,
    reason_text: &str,
    at: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR REPLACE INTO gone (ref, why, at) VALUES (?1, ?2, ?3)")?
        .execute((reference.as_str(), reason_text, at.0))
        .map(drop)
}
