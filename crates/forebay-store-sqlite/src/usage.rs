//! Usage records and store statistics.

use std::collections::BTreeMap;
use std::time::Duration;

use forebay_domain::session::subagent_prefix;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Reference, Timestamp};
use forebay_store::{PeriodGrowth, PeriodUsage, StoreStats};
use rusqlite::{Connection, Transaction};

pub(super) const RECORD: &str = "INSERT INTO usage
         (at, session, tool, raw_tokens, host_tokens, delivered_tokens, millis, ref)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

pub(super) fn record(
    transaction: &Transaction<'_>,
    answered: &Answered,
    at: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(RECORD)?
        .execute((
            at.0,
            &answered.session,
            &answered.tool,
            answered.raw_tokens as i64,
            answered.host_tokens as i64,
            answered.delivered_tokens as i64,
            answered.millis as i64,
            answered.entry.as_ref().map(Reference::as_str),
        ))
        .map(drop)
}

pub(super) fn by_tool(
    connection: &Connection,
    session: Option<&str>,
) -> rusqlite::Result<BTreeMap<String, Totals>> {
    connection
        .prepare_cached(
            "SELECT tool, count(*), sum(raw_tokens), sum(host_tokens), sum(delivered_tokens)
             FROM usage WHERE ?1 IS NULL OR session = ?1 OR substr(session, 1, length(?2)) = ?2
             GROUP BY tool",
        )?
        .query_map((session, session.map(subagent_prefix)), |row| {
            let totals = Totals {
                answers: row.get::<_, i64>(1)? as u64,
                raw_tokens: row.get::<_, i64>(2)? as u64,
                host_tokens: row.get::<_, i64>(3)? as u64,
                delivered_tokens: row.get::<_, i64>(4)? as u64,
            };
            Ok((row.get(0)?, totals))
        })?
        .collect()
}

pub(super) fn by_period(
    connection: &Connection,
    from: Timestamp,
    period: Duration,
    except_session: &str,
) -> rusqlite::Result<Vec<PeriodUsage>> {
    connection
        .prepare_cached(
            "SELECT (at - ?1) / ?2 AS period, tool, count(*), sum(raw_tokens), sum(host_tokens),
                 sum(delivered_tokens)
             FROM usage WHERE at >= ?1 AND session <> ?3 GROUP BY period, tool ORDER BY period, tool",
        )?
        .query_map((from.0, period.as_millis().max(1) as i64, except_session), |row| {
            Ok(PeriodUsage {
                period: row.get::<_, i64>(0)? as u64,
                tool: row.get(1)?,
                totals: Totals {
                    answers: row.get::<_, i64>(2)? as u64,
                    raw_tokens: row.get::<_, i64>(3)? as u64,
                    host_tokens: row.get::<_, i64>(4)? as u64,
                    delivered_tokens: row.get::<_, i64>(5)? as u64,
                },
            })
        })?
        .collect()
}

pub(super) fn growth(
    connection: &Connection,
    from: Timestamp,
    period: Duration,
) -> rusqlite::Result<Vec<PeriodGrowth>> {
    connection
        .prepare_cached(
            "SELECT (entry.created - ?1) / ?2 AS period, count(*), sum(blob.bytes)
             FROM entry JOIN blob ON blob.id = entry.blob
             WHERE entry.complete AND entry.created >= ?1 GROUP BY period ORDER BY period",
        )?
        .query_map((from.0, period.as_millis().max(1) as i64), |row| {
            Ok(PeriodGrowth {
                period: row.get::<_, i64>(0)? as u64,
                entries: row.get::<_, i64>(1)? as u64,
                raw_bytes: row.get::<_, i64>(2)? as u64,
            })
        })?
        .collect()
}

/// Counts a query of a session; returns its queries within the window and deletes older ones.
pub(super) fn count_query(
    transaction: &Transaction<'_>,
    session: &str,
    now: Timestamp,
    window: Duration,
) -> rusqlite::Result<u64> {
    transaction
        .prepare_cached("DELETE FROM asked WHERE session = ?1 AND at < ?2")?
        .execute((session, now.minus(window).0))?;
    transaction
        .prepare_cached("INSERT INTO asked (session, at) VALUES (?1, ?2)")?
        .execute((session, now.0))?;
    transaction
        .prepare_cached("SELECT count(*) FROM asked WHERE session = ?1")?
        .query_row([session], |row| row.get::<_, i64>(0))
        .map(|count| count as u64)
}

pub(super) fn stats(connection: &Connection) -> rusqlite::Result<StoreStats> {
    let entries: BTreeMap<String, u64> = connection
        .prepare("SELECT kind, count(*) FROM entry WHERE complete GROUP BY kind")?
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?
        .collect::<Result<_, _>>()?;
    let number = |sql: &str| {
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|number| number as u64)
    };
    Ok(StoreStats {
        entries,
        chunks: number("SELECT count(*) FROM chunk")?,
        raw_bytes: number(
            "SELECT coalesce(sum(blob.bytes), 0) FROM entry JOIN blob ON blob.id = entry.blob",
        )?,
        disk_bytes: 0,
        sessions: number("SELECT count(*) FROM session")?,
    })
}
