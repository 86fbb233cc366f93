//! Requests to the model, and what they were billed for.

use forebay_domain::session::subagent_prefix;
use forebay_domain::usage::{BilledTokens, RequestTotals};
use forebay_store::ReportedRequest;
use rusqlite::{Connection, Transaction};

use super::sessions;

pub(super) fn record(
    transaction: &Transaction<'_>,
    reported: &ReportedRequest,
) -> rusqlite::Result<()> {
    let ReportedRequest { session, client, created, request } = reported;
    let session = sessions::touch(transaction, session, client, (*created, *created))?;
    transaction
        .prepare_cached(
            "INSERT INTO model_request (session, request, model, input_tokens, cache_read_tokens,
                 cache_write_tokens, output_tokens, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (request) DO NOTHING",
        )?
        .execute((
            session,
            &request.id,
            &request.model,
            request.tokens.input as i64,
            request.tokens.cache_read as i64,
            request.tokens.cache_write as i64,
            request.tokens.output as i64,
            created.0,
        ))
        .map(drop)
}

pub(super) fn totals(
    connection: &Connection,
    session: Option<&str>,
) -> rusqlite::Result<RequestTotals> {
    connection
        .prepare_cached(
            "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(cache_read_tokens), 0),
                 coalesce(sum(cache_write_tokens), 0), coalesce(sum(output_tokens), 0)
             FROM model_request WHERE ?1 IS NULL OR session IN
                 (SELECT id FROM session WHERE key = ?1 OR substr(key, 1, length(?2)) = ?2)",
        )?
        .query_row((session, session.map(subagent_prefix)), |row| {
            let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
            let tokens = BilledTokens {
                input: number(1)?,
                cache_read: number(2)?,
                cache_write: number(3)?,
                cache_write_1h: 0,
                output: number(4)?,
            };
            Ok(RequestTotals { requests: number(0)?, tokens })
        })
}
