//! What became of results that could be replaced by their digests.

use forebay_domain::session::subagent_prefix;
use forebay_domain::treatment::{Shown, SwitchOff, Treatment};
use forebay_domain::{Reference, Timestamp};

use super::connection::ScopedConn;
use super::entries::{optional_reference, reference};
use super::error::PgError;
use super::text::{Name, Text};

/// What [`treatment`] reads.
pub(super) const COLUMNS: &str =
    "session, at, ref, tool, recognizer, shown, host_tokens, digest_tokens, repeats";

pub(super) fn record(conn: &mut ScopedConn<'_>, treatment: &Treatment) -> Result<(), PgError> {
    conn.execute(
        &format!(
            "INSERT INTO treatment (workspace, project, {COLUMNS})
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
        ),
        &[
            &Name(&treatment.session),
            &treatment.at.0,
            &treatment.reference.as_str(),
            &Text(&treatment.tool),
            &Text(&treatment.recognizer),
            &treatment.shown.as_str(),
            &(treatment.host_tokens as i64),
            &(treatment.digest_tokens as i64),
            &treatment.repeats.as_ref().map(Reference::as_str),
        ],
    )?;
    Ok(())
}

/// Skips a treatment that only a newer version knows.
pub(super) fn treatment(row: &postgres::Row) -> Result<Option<Treatment>, PgError> {
    let Some(shown) = Shown::parse(row.try_get(5)?) else { return Ok(None) };
    Ok(Some(Treatment {
        session: row.try_get(0)?,
        at: Timestamp(row.try_get(1)?),
        reference: reference(row, 2)?,
        tool: row.try_get(3)?,
        recognizer: row.try_get(4)?,
        shown,
        host_tokens: row.try_get::<_, i64>(6)? as u64,
        digest_tokens: row.try_get::<_, i64>(7)? as u64,
        repeats: optional_reference(row, 8)?,
    }))
}

pub(super) fn of_session(
    conn: &mut ScopedConn<'_>,
    session: &str,
    since: Timestamp,
) -> Result<Vec<Treatment>, PgError> {
    let rows = conn.query(
        &format!(
            "SELECT {COLUMNS} FROM treatment WHERE workspace = $1 AND project = $2 AND at >= $5
             AND (session = $3 OR starts_with(session, $4::text))"
        ),
        &[&Name(session), &Text(&subagent_prefix(session)), &since.0],
    )?;
    rows.iter().filter_map(|row| treatment(row).transpose()).collect()
}

pub(super) fn digests_shown(conn: &mut ScopedConn<'_>) -> Result<u64, PgError> {
    let row = conn.one(
        "SELECT count(*) FROM treatment WHERE workspace = $1 AND project = $2 AND shown = 'digest'",
        &[],
    )?;
    Ok(row.try_get::<_, i64>(0)? as u64)
}

pub(super) fn record_switch_off(
    conn: &mut ScopedConn<'_>,
    switch_off: &SwitchOff,
) -> Result<(), PgError> {
    let SwitchOff { at, session, recognizer, uses, net_tokens } = switch_off;
    conn.execute(
        "INSERT INTO switch_off (workspace, project, at, session, recognizer, uses, net_tokens)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        &[&at.0, &Name(session), &Name(recognizer), &(*uses as i64), net_tokens],
    )?;
    Ok(())
}

pub(super) fn switched_off(conn: &mut ScopedConn<'_>) -> Result<Vec<SwitchOff>, PgError> {
    let rows = conn.query(
        "SELECT at, session, recognizer, uses, net_tokens FROM switch_off
         WHERE workspace = $1 AND project = $2 ORDER BY id",
        &[],
    )?;
    let read = |row: &postgres::Row| {
        Ok(SwitchOff {
            at: Timestamp(row.try_get(0)?),
            session: row.try_get(1)?,
            recognizer: row.try_get(2)?,
            uses: row.try_get::<_, i64>(3)? as u64,
            net_tokens: row.try_get(4)?,
        })
    };
    rows.iter().map(read).collect()
}
