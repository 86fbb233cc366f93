//! The ledgers of sessions: their requests, compactions, answers and treated results.

use std::collections::BTreeMap;

use forebay_domain::Timestamp;
use forebay_domain::billing::BilledRequest;
use forebay_domain::session::subagent_prefix;
use forebay_domain::usage::Answered;
use forebay_store::SessionLedger;

use super::connection::ScopedConn;
use super::entries::optional_reference;
use super::error::PgError;
use super::text::{Name, Text};
use super::{model_requests, treatments};

/// The session `$3` and its subagents, whose keys start with `$4`, or all; those with anything at or after `$5`.
const SELECTED: &str = "
    (SELECT session FROM usage WHERE workspace = $1 AND project = $2 AND at >= $5
         AND ($3::text IS NULL OR session = $3 OR starts_with(session, $4::text))
     UNION SELECT session FROM treatment WHERE workspace = $1 AND project = $2 AND at >= $5
         AND ($3::text IS NULL OR session = $3 OR starts_with(session, $4::text))
     UNION SELECT key FROM session JOIN model_request ON model_request.workspace = $1
         AND model_request.project = $2 AND model_request.session = session.id
     WHERE session.workspace = $1 AND session.project = $2 AND created >= $5
         AND ($3::text IS NULL OR key = $3 OR starts_with(key, $4::text)))";

pub(super) fn record_compaction(
    conn: &mut ScopedConn<'_>,
    session: &str,
    at: Timestamp,
) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO compaction (workspace, project, session, at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        &[&Name(session), &at.0],
    )?;
    Ok(())
}

pub(super) fn read(
    conn: &mut ScopedConn<'_>,
    session: Option<&str>,
    since: Option<Timestamp>,
) -> Result<BTreeMap<String, SessionLedger>, PgError> {
    let mut ledgers: BTreeMap<String, SessionLedger> = BTreeMap::new();
    let prefix = session.map(subagent_prefix);
    let since = since.map_or(i64::MIN, |at| at.0);
    let mut rows = |columns: &str| {
        let sql = format!("SELECT {columns} {SELECTED}");
        conn.query(&sql, &[&session.map(Name), &prefix.as_deref().map(Text), &since])
    };
    for row in rows(
        "input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, model, created, key
         FROM model_request JOIN session ON session.workspace = $1 AND session.project = $2
             AND session.id = model_request.session
         WHERE model_request.workspace = $1 AND model_request.project = $2 AND key IN",
    )? {
        ledgers.entry(row.try_get(7)?).or_default().requests.push(BilledRequest {
            at: Timestamp(row.try_get(6)?),
            model: row.try_get(5)?,
            tokens: model_requests::tokens(&row)?,
        });
    }
    for row in
        rows("session, at FROM compaction WHERE workspace = $1 AND project = $2 AND session IN")?
    {
        let at = Timestamp(row.try_get(1)?);
        ledgers.entry(row.try_get(0)?).or_default().compactions.push(at);
    }
    for row in rows(
        "raw_tokens, host_tokens, delivered_tokens, millis, session, tool, at, ref
         FROM usage WHERE workspace = $1 AND project = $2 AND session IN",
    )? {
        let number =
            |column: usize| -> Result<u64, PgError> { Ok(row.try_get::<_, i64>(column)? as u64) };
        let session: String = row.try_get(4)?;
        let answered = Answered {
            tool: row.try_get(5)?,
            session: session.clone(),
            entry: optional_reference(&row, 7)?,
            raw_tokens: number(0)?,
            host_tokens: number(1)?,
            delivered_tokens: number(2)?,
            millis: number(3)?,
        };
        let at = Timestamp(row.try_get(6)?);
        ledgers.entry(session).or_default().answers.push((answered, at));
    }
    let treated = format!(
        "{} FROM treatment WHERE workspace = $1 AND project = $2 AND session IN",
        treatments::COLUMNS
    );
    for row in rows(&treated)? {
        let Some(treatment) = treatments::treatment(&row)? else { continue };
        ledgers.entry(treatment.session.clone()).or_default().treatments.push(treatment);
    }
    Ok(ledgers)
}
