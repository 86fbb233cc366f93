//! Sessions: client and time of last use.

use forebay_domain::Timestamp;
use forebay_store::SessionSummary;

use super::connection::ScopedConn;
use super::error::PgError;
use super::text::Name;

/// Records that a session was active between two moments; returns its id.
pub(super) fn touch(
    conn: &mut ScopedConn<'_>,
    key: &str,
    client: &str,
    (from, to): (Timestamp, Timestamp),
) -> Result<i64, PgError> {
    let row = conn.one(
        "INSERT INTO session (workspace, project, key, client, started, last_used)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (workspace, project, key) DO UPDATE SET
             last_used = greatest(session.last_used, excluded.last_used),
             client = CASE excluded.client WHEN '' THEN session.client ELSE excluded.client END
         RETURNING id",
        &[&Name(key), &Name(client), &from.0, &to.0],
    )?;
    Ok(row.try_get(0)?)
}

/// Returns sessions that have entries, events or requests to the model, most recent first.
pub(super) fn list(
    conn: &mut ScopedConn<'_>,
    limit: usize,
) -> Result<Vec<SessionSummary>, PgError> {
    let rows = conn.query(
        "SELECT key, client, started, last_used, coalesce(left_behind.entries, 0)
         FROM session LEFT JOIN
             (SELECT session, count(*) FILTER (WHERE complete) AS entries, max(id) AS newest FROM entry
              WHERE workspace = $1 AND project = $2 GROUP BY session) AS left_behind
             ON left_behind.session = session.id
         WHERE workspace = $1 AND project = $2 AND (left_behind.entries > 0 OR EXISTS
             (SELECT FROM event
              WHERE event.workspace = $1 AND event.project = $2 AND event.session = session.id)
             OR EXISTS (SELECT FROM model_request WHERE model_request.workspace = $1
                 AND model_request.project = $2 AND model_request.session = session.id))
         ORDER BY left_behind.newest DESC NULLS LAST, session.id DESC LIMIT $3",
        &[&(limit as i64)],
    )?;
    let read = |row: &postgres::Row| {
        Ok(SessionSummary {
            key: row.try_get(0)?,
            client: row.try_get(1)?,
            started: Timestamp(row.try_get(2)?),
            last_used: Timestamp(row.try_get(3)?),
            entries: row.try_get::<_, i64>(4)? as u64,
        })
    };
    rows.iter().map(read).collect()
}
