//! Token usage by tool, and statistics of the store.

use std::collections::BTreeMap;
use std::time::Duration;

use forebay_domain::session::subagent_prefix;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Reference, Timestamp};
use forebay_store::{PeriodGrowth, PeriodUsage, StoreStats};

use super::connection::ScopedConn;
use super::error::PgError;
use super::text::{Name, Text};

pub(super) fn record(
    conn: &mut ScopedConn<'_>,
    answers: &[(Answered, Timestamp)],
) -> Result<(), PgError> {
    let numbers = |number: fn(&Answered) -> u64| -> Vec<i64> {
        answers.iter().map(|(answered, _)| number(answered) as i64).collect()
    };
    conn.execute(
        "INSERT INTO usage (workspace, project, at, session, tool, raw_tokens, host_tokens,
             delivered_tokens, millis, ref)
         SELECT $1, $2, new.* FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[],
             $7::bigint[], $8::bigint[], $9::bigint[], $10::text[]) AS new",
        &[
            &answers.iter().map(|(_, at)| at.0).collect::<Vec<_>>(),
            &answers.iter().map(|(answered, _)| Name(&answered.session)).collect::<Vec<_>>(),
            &answers.iter().map(|(answered, _)| Name(&answered.tool)).collect::<Vec<_>>(),
            &numbers(|answered| answered.raw_tokens),
            &numbers(|answered| answered.host_tokens),
            &numbers(|answered| answered.delivered_tokens),
            &numbers(|answered| answered.millis),
            &answers
                .iter()
                .map(|(answered, _)| answered.entry.as_ref().map(Reference::as_str))
                .collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}

pub(super) fn by_tool(
    conn: &mut ScopedConn<'_>,
    session: Option<&str>,
) -> Result<BTreeMap<String, Totals>, PgError> {
    let rows = conn.query(
        "SELECT tool, count(*), sum(raw_tokens)::bigint, sum(host_tokens)::bigint,
             sum(delivered_tokens)::bigint
         FROM usage WHERE workspace = $1 AND project = $2
             AND ($3::text IS NULL OR session = $3 OR starts_with(session, $4::text))
         GROUP BY tool",
        &[&session.map(Name), &session.map(subagent_prefix).as_deref().map(Text)],
    )?;
    let read = |row: &postgres::Row| {
        let totals = Totals {
            answers: row.try_get::<_, i64>(1)? as u64,
            raw_tokens: row.try_get::<_, i64>(2)? as u64,
            host_tokens: row.try_get::<_, i64>(3)? as u64,
            delivered_tokens: row.try_get::<_, i64>(4)? as u64,
        };
        Ok((row.try_get(0)?, totals))
    };
    rows.iter().map(read).collect()
}

pub(super) fn by_period(
    conn: &mut ScopedConn<'_>,
    from: Timestamp,
    period: Duration,
    except_session: &str,
) -> Result<Vec<PeriodUsage>, PgError> {
    let rows = conn.query(
        "SELECT (at - $3) / $4 AS period, tool, count(*), sum(raw_tokens)::bigint,
             sum(host_tokens)::bigint, sum(delivered_tokens)::bigint
         FROM usage
         WHERE workspace = $1 AND project = $2 AND at >= $3 AND session <> $5
         GROUP BY period, tool ORDER BY period, tool COLLATE \"C\"",
        &[&from.0, &(period.as_millis().max(1) as i64), &Name(except_session)],
    )?;
    let read = |row: &postgres::Row| {
        Ok(PeriodUsage {
            period: row.try_get::<_, i64>(0)? as u64,
            tool: row.try_get(1)?,
            totals: Totals {
                answers: row.try_get::<_, i64>(2)? as u64,
                raw_tokens: row.try_get::<_, i64>(3)? as u64,
                host_tokens: row.try_get::<_, i64>(4)? as u64,
                delivered_tokens: row.try_get::<_, i64>(5)? as u64,
            },
        })
    };
    rows.iter().map(read).collect()
}

pub(super) fn growth(
    conn: &mut ScopedConn<'_>,
    from: Timestamp,
    period: Duration,
) -> Result<Vec<PeriodGrowth>, PgError> {
    let rows = conn.query(
        "SELECT (entry.created - $3) / $4 AS period, count(*), sum(blob.bytes)::bigint
         FROM entry JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND entry.complete AND entry.created >= $3
         GROUP BY period ORDER BY period",
        &[&from.0, &(period.as_millis().max(1) as i64)],
    )?;
    let read = |row: &postgres::Row| {
        Ok(PeriodGrowth {
            period: row.try_get::<_, i64>(0)? as u64,
            entries: row.try_get::<_, i64>(1)? as u64,
            raw_bytes: row.try_get::<_, i64>(2)? as u64,
        })
    };
    rows.iter().map(read).collect()
}

/// Counts a session's query and returns the count within a time window; older ones are deleted.
pub(super) fn count_query(
    conn: &mut ScopedConn<'_>,
    session: &str,
    now: Timestamp,
    within: Duration,
) -> Result<u64, PgError> {
    let row = conn.one(
        "WITH old AS (DELETE FROM asked
             WHERE workspace = $1 AND project = $2 AND session = $3 AND at < $4),
         new AS (INSERT INTO asked (workspace, project, session, at) VALUES ($1, $2, $3, $5))
         SELECT 1 + count(*) FROM asked
         WHERE workspace = $1 AND project = $2 AND session = $3 AND at >= $4",
        &[&Name(session), &now.minus(within).0, &now.0],
    )?;
    Ok(row.try_get::<_, i64>(0)? as u64)
}

pub(super) fn facts(conn: &mut ScopedConn<'_>) -> Result<StoreStats, PgError> {
    let rows = conn.query(
        "SELECT kind, count(*) FROM entry WHERE workspace = $1 AND project = $2 AND complete GROUP BY kind",
        &[],
    )?;
    let entries = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get::<_, i64>(1)? as u64)))
        .collect::<Result<BTreeMap<String, u64>, PgError>>()?;
    let mut number = |sql: &str| -> Result<u64, PgError> {
        Ok(conn.one(sql, &[])?.try_get::<_, i64>(0)? as u64)
    };
    Ok(StoreStats {
        entries,
        chunks: number("SELECT count(*) FROM chunk WHERE workspace = $1 AND project = $2")?,
        raw_bytes: number(
            "SELECT coalesce(sum(blob.bytes), 0)::bigint FROM entry
             JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
             WHERE entry.workspace = $1 AND entry.project = $2",
        )?,
        disk_bytes: number(
            "SELECT ((SELECT coalesce(sum(octet_length(data)), 0) FROM blob_part
                      WHERE workspace = $1 AND project = $2)
                   + (SELECT coalesce(sum(pg_column_size(words) + 200), 0) FROM chunk
                      WHERE workspace = $1 AND project = $2)
                   + (SELECT coalesce(sum(bytes), 0) FROM derived
                      WHERE workspace = $1 AND project = $2))::bigint",
        )?,
        sessions: number("SELECT count(*) FROM session WHERE workspace = $1 AND project = $2")?,
    })
}

/// Returns the versions of the server and of its extension.
pub(super) fn engine(conn: &mut ScopedConn<'_>) -> Result<String, PgError> {
    let row = conn.one(
        "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension
             WHERE extname = 'vector') WHERE $1::integer + $2::integer > 0",
        &[],
    )?;
    let (server, vector): (&str, Option<&str>) = (row.try_get(0)?, row.try_get(1)?);
    let server = server.split(' ').next().unwrap_or(server);
    Ok(format!("PostgreSQL {server}, pgvector {}", vector.unwrap_or("missing")))
}
