//! The ledgers of sessions: their requests, compactions, answers and treated results.

use std::collections::BTreeMap;

use forebay_domain::Timestamp;
use forebay_domain::billing::BilledRequest;
use forebay_domain::session::subagent_range;
use forebay_domain::usage::Answered;
use forebay_store::SessionLedger;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, Transaction, params_from_iter};

use super::entries::parse_reference;
use super::{model_requests, treatments};

/// The session `?1` and its subagents, whose keys are at least `?2` and less than `?3`. Each branch uses an index.
const ONE: &str = "
    (SELECT key FROM session WHERE key = ?1 UNION SELECT key FROM session WHERE key >= ?2 AND key < ?3
     UNION SELECT session FROM usage WHERE session = ?1
     UNION SELECT session FROM usage WHERE session >= ?2 AND session < ?3
     UNION SELECT session FROM treatment WHERE session = ?1
     UNION SELECT session FROM treatment WHERE session >= ?2 AND session < ?3)";

/// The sessions with anything at or after `?1`.
const ALL: &str = "
    (SELECT session FROM usage WHERE at >= ?1
     UNION SELECT session FROM treatment WHERE at >= ?1
     UNION SELECT key FROM session JOIN model_request ON model_request.session = session.id WHERE created >= ?1)";

pub(super) fn record_compaction(
    transaction: &Transaction<'_>,
    session: &str,
    at: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO compaction (session, at) VALUES (?1, ?2)")?
        .execute((session, at.0))
        .map(drop)
}

pub(super) fn read(
    connection: &Connection,
    session: Option<&str>,
    since: Option<Timestamp>,
) -> rusqlite::Result<BTreeMap<String, SessionLedger>> {
    let mut ledgers: BTreeMap<String, SessionLedger> = BTreeMap::new();
    let since = since.map_or(i64::MIN, |at| at.0);
    let (selected, values) = match session {
        Some(session) => {
            let (first, end) = subagent_range(session);
            (ONE, vec![Value::from(session.to_owned()), first.into(), end.into()])
        }
        None => (ALL, vec![since.into()]),
    };
    let mut each =
        |columns: &str,
         take: &mut dyn FnMut(&mut SessionLedger, &Row<'_>) -> rusqlite::Result<()>| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {columns} {selected}"))?;
            let mut rows = statement.query(params_from_iter(&values))?;
            while let Some(row) = rows.next()? {
                take(ledgers.entry(row.get("session")?).or_default(), row)?;
            }
            Ok::<(), rusqlite::Error>(())
        };
    each(
        "input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, model, created,
             key AS session
         FROM model_request JOIN session ON session.id = model_request.session WHERE key IN",
        &mut |ledger, row| {
            let (at, model) = (Timestamp(row.get("created")?), row.get("model")?);
            ledger.requests.push(BilledRequest { at, model, tokens: model_requests::tokens(row)? });
            Ok(())
        },
    )?;
    each("session, at FROM compaction WHERE session IN", &mut |ledger, row| {
        ledger.compactions.push(Timestamp(row.get("at")?));
        Ok(())
    })?;
    each(
        "session, at, tool, raw_tokens, host_tokens, delivered_tokens, millis, ref FROM usage WHERE session IN",
        &mut |ledger, row| {
            let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
            let answered = Answered {
                tool: row.get("tool")?,
                session: row.get("session")?,
                entry: row
                    .get::<_, Option<String>>("ref")?
                    .map(|text| parse_reference(&text))
                    .transpose()?,
                raw_tokens: number("raw_tokens")?,
                host_tokens: number("host_tokens")?,
                delivered_tokens: number("delivered_tokens")?,
                millis: number("millis")?,
            };
            ledger.answers.push((answered, Timestamp(row.get("at")?)));
            Ok(())
        },
    )?;
    each(
        &format!("{} FROM treatment WHERE session IN", treatments::COLUMNS),
        &mut |ledger, row| {
            ledger.treatments.extend(treatments::treatment(row)?);
            Ok(())
        },
    )?;
    ledgers.retain(|_, ledger| ledger.has_anything_since(Timestamp(since)));
    Ok(ledgers)
}
