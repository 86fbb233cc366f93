//! Events of sessions, bounded by priority.

use std::cmp::Reverse;

use forebay_domain::event::{Priority, RecordedEvent};
use forebay_domain::{Event, EventKind, Timestamp};
use forebay_store::{EventBatch, EventPage, MAX_EVENTS_PER_SESSION};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params_from_iter};

use super::conditions::Conditions;
use super::{entries, sessions};

/// Records new events and resolves earlier ones.
pub(super) fn record(transaction: &Transaction<'_>, batch: &EventBatch) -> rusqlite::Result<()> {
    let at = batch.created;
    let session = sessions::touch(transaction, &batch.session, &batch.client, (at, at))?;
    resolve(transaction, &batch.resolved)?;
    for event in &batch.events {
        write(transaction, session, event, batch)?;
    }
    evict(transaction, session)
}

fn resolve(transaction: &Transaction<'_>, resolved: &[i64]) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached("UPDATE event SET stands = 0 WHERE id = ?1")?;
    resolved.iter().try_for_each(|id| statement.execute([id]).map(drop))
}

/// Writes an event, replacing an earlier one on the same subject.
fn write(
    transaction: &Transaction<'_>,
    session: i64,
    event: &Event,
    batch: &EventBatch,
) -> rusqlite::Result<()> {
    let earlier =
        if event.kind.is_kept_each() { None } else { remove_earlier(transaction, session, event)? };
    let (event, times) = match earlier {
        Some((text, times)) => (event.clone().after(&text), times + 1),
        None => (event.clone(), 1),
    };
    transaction
        .prepare_cached(
            "INSERT INTO event
                 (session, kind, subject, text, priority, times, stands, branch, ticket, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9)",
        )?
        .execute((
            session,
            event.kind.as_str(),
            &event.subject,
            &event.text,
            event.kind.priority() as i64,
            times,
            &batch.branch,
            entries::ticket_of(batch.branch.as_deref()),
            batch.created.0,
        ))
        .map(drop)
}

/// Deletes the event of the same kind and subject; returns its text and count.
fn remove_earlier(
    transaction: &Transaction<'_>,
    session: i64,
    event: &Event,
) -> rusqlite::Result<Option<(String, i64)>> {
    transaction
        .prepare_cached(
            "DELETE FROM event WHERE session = ?1 AND kind = ?2 AND subject = ?3 RETURNING text, times",
        )?
        .query_row((session, event.kind.as_str(), &event.subject), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
}

fn evict(transaction: &Transaction<'_>, session: i64) -> rusqlite::Result<()> {
    let count: i64 = transaction
        .prepare_cached("SELECT count(*) FROM event WHERE session = ?1")?
        .query_row([session], |row| row.get(0))?;
    let excess = count - MAX_EVENTS_PER_SESSION as i64;
    if excess <= 0 {
        return Ok(());
    }
    transaction
        .prepare_cached(
            "DELETE FROM event WHERE id IN
                 (SELECT id FROM event WHERE session = ?1 ORDER BY priority, id LIMIT ?2)",
        )?
        .execute([session, excess])
        .map(drop)
}

/// Returns events, latest first.
pub(super) fn events(
    connection: &Connection,
    page: &EventPage,
) -> rusqlite::Result<Vec<RecordedEvent>> {
    let conditions = conditions(page);
    let Some(limit) = page.max_per_priority else {
        return select(connection, conditions, page.limit);
    };
    let mut events = Vec::new();
    for priority in Priority::ALL {
        let mut conditions = conditions.clone();
        conditions.add("event.priority = ?", [Value::from(priority as i64)]);
        events.extend(select(connection, conditions, limit)?);
    }
    events.sort_unstable_by_key(|event| Reverse(event.sequence));
    events.truncate(page.limit);
    Ok(events)
}

fn conditions(page: &EventPage) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_text("session.key = ?", page.session.as_deref());
    // The `+` keeps SQLite from using the index on kinds, which would need a sort; the one on
    // priorities is ordered.
    let kind = if page.max_per_priority.is_some() { "+event.kind" } else { "event.kind" };
    conditions.add_one_of(kind, page.kinds.iter().map(|kind| kind.as_str()));
    conditions.add_text("event.ticket = ?", page.ticket.as_deref());
    if page.active_only {
        conditions.add("event.stands", []);
    }
    if let Some(before) = page.before {
        conditions.add("event.id < ?", [Value::from(before)]);
    }
    conditions
}

fn select(
    connection: &Connection,
    Conditions { sql, values }: Conditions,
    limit: usize,
) -> rusqlite::Result<Vec<RecordedEvent>> {
    connection
        .prepare_cached(&format!(
            "SELECT event.id, kind, subject, text, times, stands, session.key, branch, ticket, created
             FROM event JOIN session ON session.id = event.session
             WHERE TRUE {sql} ORDER BY event.id DESC LIMIT {limit}",
        ))?
        .query_map(params_from_iter(values), read)?
        .filter_map(Result::transpose)
        .collect()
}

/// Skips events of a kind that only a newer version knows.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<RecordedEvent>> {
    let Some(kind) = EventKind::parse(row.get_ref(1)?.as_str()?) else { return Ok(None) };
    Ok(Some(RecordedEvent {
        sequence: row.get(0)?,
        event: Event { kind, subject: row.get(2)?, text: row.get(3)? },
        times: row.get::<_, i64>(4)? as u64,
        is_active: row.get(5)?,
        session: row.get(6)?,
        branch: row.get(7)?,
        ticket: row.get(8)?,
        created: Timestamp(row.get(9)?),
    }))
}

pub(super) fn mark(
    transaction: &Transaction<'_>,
    session: &str,
    topic: &str,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO mark (session, topic) VALUES (?1, ?2)")?
        .execute([session, topic])
        .map(|count| count > 0)
}

pub(super) fn marks(connection: &Connection, session: &str) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare_cached("SELECT topic FROM mark WHERE session = ?1 ORDER BY topic")?
        .query_map([session], |row| row.get(0))?
        .collect()
}

pub(super) fn is_marked(
    connection: &Connection,
    session: &str,
    topic: &str,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM mark WHERE session = ?1 AND topic = ?2")?
        .exists([session, topic])
}

pub(super) fn unmark(
    connection: &Connection,
    session: &str,
    topic: &str,
) -> rusqlite::Result<bool> {
    // Usually there is none, and a read needs no write lock.
    Ok(is_marked(connection, session, topic)?
        && connection
            .prepare_cached("DELETE FROM mark WHERE session = ?1 AND topic = ?2")?
            .execute([session, topic])?
            > 0)
}
