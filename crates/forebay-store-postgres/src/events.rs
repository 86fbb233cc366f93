//! Session events, bounded per session by priority.

use ::postgres::Row;
use forebay_domain::event::RecordedEvent;
use forebay_domain::{Event, EventKind, Timestamp};
use forebay_store::{EventBatch, EventPage, MAX_EVENTS_PER_SESSION};

use super::conditions::Conditions;
use super::connection::ScopedConn;
use super::error::PgError;
use super::text::{Name, Text};
use super::{entries, sessions};

/// Records events and marks those that are resolved.
pub(super) fn record(conn: &mut ScopedConn<'_>, batch: &EventBatch) -> Result<(), PgError> {
    let at = batch.created;
    let session = sessions::touch(conn, &batch.session, &batch.client, (at, at))?;
    if !batch.resolved.is_empty() {
        conn.execute(
            "UPDATE event SET stands = false WHERE workspace = $1 AND project = $2 AND id = ANY ($3)",
            &[&batch.resolved],
        )?;
    }
    for event in &batch.events {
        write(conn, session, event, batch)?;
    }
    evict(conn, session)
}

/// Writes an event, replacing the earlier one on the same subject.
fn write(
    conn: &mut ScopedConn<'_>,
    session: i64,
    event: &Event,
    batch: &EventBatch,
) -> Result<(), PgError> {
    let earlier =
        if event.kind.is_kept_each() { None } else { remove_previous(conn, session, event)? };
    let (event, times) = match earlier {
        Some((text, times)) => (event.clone().after(&text), times + 1),
        None => (event.clone(), 1),
    };
    conn.execute(
        "INSERT INTO event (workspace, project, session, kind, subject, text, priority, times, stands,
             branch, ticket, created)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true, $9, $10, $11)",
        &[
            &session,
            &event.kind.as_str(),
            &Text(&event.subject),
            &Text(&event.text),
            &(event.kind.priority() as i32),
            &times,
            &batch.branch.as_deref().map(Text),
            &entries::ticket_of(batch.branch.as_deref()).as_deref().map(Text),
            &batch.created.0,
        ],
    )?;
    Ok(())
}

/// Deletes the event of the same kind and subject; returns its text and count.
fn remove_previous(
    conn: &mut ScopedConn<'_>,
    session: i64,
    event: &Event,
) -> Result<Option<(String, i64)>, PgError> {
    let row = conn.first(
        "DELETE FROM event WHERE workspace = $1 AND project = $2 AND session = $3 AND kind = $4
             AND hashtextextended(subject, 0) = hashtextextended($5, 0) AND subject = $5
         RETURNING text, times",
        &[&session, &event.kind.as_str(), &Text(&event.subject)],
    )?;
    row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
}

fn evict(conn: &mut ScopedConn<'_>, session: i64) -> Result<(), PgError> {
    conn.execute(
        "DELETE FROM event WHERE workspace = $1 AND project = $2 AND id IN
             (SELECT id FROM event WHERE workspace = $1 AND project = $2 AND session = $3
              ORDER BY priority, id LIMIT greatest(0, (SELECT count(*) FROM event
                  WHERE workspace = $1 AND project = $2 AND session = $3) - $4::bigint))",
        &[&session, &(MAX_EVENTS_PER_SESSION as i64)],
    )?;
    Ok(())
}

/// Returns events, newest first.
pub(super) fn events(
    conn: &mut ScopedConn<'_>,
    page: &EventPage,
) -> Result<Vec<RecordedEvent>, PgError> {
    let mut conditions = Conditions::default();
    conditions.add_name("session.key = ?", page.session.as_deref());
    conditions.add_one_of("event.kind", page.kinds.iter().map(|kind| kind.as_str()));
    conditions.add_name("event.ticket = ?", page.ticket.as_deref());
    if page.active_only {
        conditions.add_raw("event.stands");
    }
    if let Some(before) = page.before {
        conditions.add("event.id < ?", before);
    }
    let per_priority = page.max_per_priority.unwrap_or(page.limit);
    let sql = format!(
        "SELECT id, kind, subject, text, times, stands, key, branch, ticket, created FROM
             (SELECT event.*, session.key,
                  row_number() OVER (PARTITION BY priority ORDER BY event.id DESC) AS rank
              FROM event JOIN session
                  ON session.workspace = $1 AND session.project = $2 AND session.id = event.session
              WHERE event.workspace = $1 AND event.project = $2 {}) AS fitting
         WHERE rank <= {per_priority} ORDER BY id DESC LIMIT {}",
        conditions.sql, page.limit
    );
    let rows = conn.query(&sql, &conditions.values())?;
    rows.iter().filter_map(|row| read(row).transpose()).collect()
}

/// Skips events of a kind that only a newer version knows.
fn read(row: &Row) -> Result<Option<RecordedEvent>, PgError> {
    let Some(kind) = EventKind::parse(row.try_get(1)?) else { return Ok(None) };
    Ok(Some(RecordedEvent {
        sequence: row.try_get(0)?,
        event: Event { kind, subject: row.try_get(2)?, text: row.try_get(3)? },
        times: row.try_get::<_, i64>(4)? as u64,
        is_active: row.try_get(5)?,
        session: row.try_get(6)?,
        branch: row.try_get(7)?,
        ticket: row.try_get(8)?,
        created: Timestamp(row.try_get(9)?),
    }))
}

pub(super) fn mark(conn: &mut ScopedConn<'_>, session: &str, topic: &str) -> Result<bool, PgError> {
    let written = conn.execute(
        "INSERT INTO mark (workspace, project, session, topic) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        &[&Name(session), &Name(topic)],
    )?;
    Ok(written > 0)
}

pub(super) fn marks(conn: &mut ScopedConn<'_>, session: &str) -> Result<Vec<String>, PgError> {
    let rows = conn.query(
        "SELECT topic FROM mark WHERE workspace = $1 AND project = $2 AND session = $3
         ORDER BY topic COLLATE \"C\"",
        &[&Name(session)],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

pub(super) fn is_marked(
    conn: &mut ScopedConn<'_>,
    session: &str,
    topic: &str,
) -> Result<bool, PgError> {
    let found = conn.first(
        "SELECT FROM mark WHERE workspace = $1 AND project = $2 AND session = $3 AND topic = $4",
        &[&Name(session), &Name(topic)],
    )?;
    Ok(found.is_some())
}

pub(super) fn unmark(
    conn: &mut ScopedConn<'_>,
    session: &str,
    topic: &str,
) -> Result<bool, PgError> {
    let gone = conn.execute(
        "DELETE FROM mark WHERE workspace = $1 AND project = $2 AND session = $3 AND topic = $4",
        &[&Name(session), &Name(topic)],
    )?;
    Ok(gone > 0)
}
