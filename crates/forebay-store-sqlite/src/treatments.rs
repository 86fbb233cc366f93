//! What became of results that could be replaced by their digests.

use forebay_domain::session::subagent_range;
use forebay_domain::treatment::{Shown, SwitchOff, Treatment};
use forebay_domain::{Reference, Timestamp};
use rusqlite::{Connection, Row, Transaction};

use super::entries::parse_reference;

/// What [`treatment`] reads.
pub(super) const COLUMNS: &str =
    "session, at, ref, tool, recognizer, shown, host_tokens, digest_tokens, repeats";

pub(super) fn record(transaction: &Transaction<'_>, treatment: &Treatment) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(&format!(
            "INSERT INTO treatment ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        ))?
        .execute((
            &treatment.session,
            treatment.at.0,
            treatment.reference.as_str(),
            &treatment.tool,
            &treatment.recognizer,
            treatment.shown.as_str(),
            treatment.host_tokens as i64,
            treatment.digest_tokens as i64,
            treatment.repeats.as_ref().map(Reference::as_str),
        ))
        .map(drop)
}

/// Skips a treatment that only a newer version knows.
pub(super) fn treatment(row: &Row<'_>) -> rusqlite::Result<Option<Treatment>> {
    let reference = |text: String| parse_reference(&text);
    let Some(shown) = Shown::parse(row.get_ref("shown")?.as_str()?) else { return Ok(None) };
    Ok(Some(Treatment {
        session: row.get("session")?,
        at: Timestamp(row.get("at")?),
        reference: reference(row.get("ref")?)?,
        tool: row.get("tool")?,
        recognizer: row.get("recognizer")?,
        shown,
        host_tokens: row.get::<_, i64>("host_tokens")? as u64,
        digest_tokens: row.get::<_, i64>("digest_tokens")? as u64,
        repeats: row.get::<_, Option<String>>("repeats")?.map(reference).transpose()?,
    }))
}

pub(super) fn of_session(
    connection: &Connection,
    session: &str,
    since: Timestamp,
) -> rusqlite::Result<Vec<Treatment>> {
    let (first, end) = subagent_range(session);
    let sql = format!(
        "SELECT {COLUMNS} FROM treatment WHERE session = ?1 AND at >= ?4
         UNION ALL SELECT {COLUMNS} FROM treatment WHERE session >= ?2 AND session < ?3 AND at >= ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((session, first, end, since.0), treatment)?;
    found.filter_map(Result::transpose).collect()
}

pub(super) fn digests_shown(connection: &Connection) -> rusqlite::Result<u64> {
    let count = "SELECT count(*) FROM treatment WHERE shown = 'digest'";
    connection.query_row(count, [], |row| row.get::<_, i64>(0)).map(|count| count as u64)
}

pub(super) fn record_switch_off(
    transaction: &Transaction<'_>,
    switch_off: &SwitchOff,
) -> rusqlite::Result<()> {
    let SwitchOff { at, session, recognizer, uses, net_tokens } = switch_off;
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO switch_off (at, session, recognizer, uses, net_tokens)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((at.0, session, recognizer, *uses as i64, net_tokens))
        .map(drop)
}

pub(super) fn switched_off(connection: &Connection) -> rusqlite::Result<Vec<SwitchOff>> {
    connection
        .prepare_cached(
            "SELECT at, session, recognizer, uses, net_tokens FROM switch_off ORDER BY id",
        )?
        .query_map([], |row| {
            Ok(SwitchOff {
                at: Timestamp(row.get(0)?),
                session: row.get(1)?,
                recognizer: row.get(2)?,
                uses: row.get::<_, i64>(3)? as u64,
                net_tokens: row.get(4)?,
            })
        })?
        .collect()
}
