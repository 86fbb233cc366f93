//! Sessions: their clients and times of use.

use forebay_domain::Timestamp;
use forebay_store::SessionSummary;
use rusqlite::{Connection, Transaction};

pub(super) const TOUCH: &str =
    "INSERT INTO session (key, client, started, last_used) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (key) DO UPDATE SET
         last_used = max(last_used, excluded.last_used),
         client = CASE excluded.client WHEN '' THEN client ELSE excluded.client END
     RETURNING id";

/// Records that a session was active from one time to another; returns its id.
pub(super) fn touch(
    transaction: &Transaction<'_>,
    key: &str,
    client: &str,
    (from, to): (Timestamp, Timestamp),
) -> rusqlite::Result<i64> {
    transaction.prepare_cached(TOUCH)?.query_row((key, client, from.0, to.0), |row| row.get(0))
}

/// Returns sessions with entries, events or requests to the model, latest first.
pub(super) fn list(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<SessionSummary>> {
    connection
        .prepare_cached(
            // Counts by index, subtracts the few incomplete entries, and only for the listed
            // sessions.
            "WITH last AS MATERIALIZED (
                 SELECT id, key, client, started, last_used,
                     (SELECT max(entry.id) FROM entry WHERE entry.session = session.id) AS newest
                 FROM session
                 WHERE EXISTS (SELECT 1 FROM entry WHERE entry.session = session.id AND complete)
                     OR EXISTS (SELECT 1 FROM event WHERE event.session = session.id)
                     OR EXISTS (SELECT 1 FROM model_request
                                WHERE model_request.session = session.id)
                 ORDER BY newest DESC NULLS LAST, id DESC LIMIT ?1)
             SELECT key, client, started, last_used,
                 (SELECT count(*) FROM entry WHERE entry.session = last.id)
                 - (SELECT count(*) FROM entry WHERE complete = 0 AND +entry.session = last.id)
             FROM last ORDER BY newest DESC NULLS LAST, id DESC",
        )?
        .query_map([limit as i64], |row| {
            Ok(SessionSummary {
                key: row.get(0)?,
                client: row.get(1)?,
                started: Timestamp(row.get(2)?),
                last_used: Timestamp(row.get(3)?),
                entries: row.get::<_, i64>(4)? as u64,
            })
        })?
        .collect()
}
