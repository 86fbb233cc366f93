//! Requests to the model, and what they were billed for.

use forebay_domain::session::{conversation, subagent_prefix};
use forebay_domain::usage::{BilledTokens, RequestTotals};
use forebay_store::ReportedRequest;
use rusqlite::{Connection, Row, Transaction};

use super::sessions;

pub(super) fn record(
    transaction: &Transaction<'_>,
    reported: &ReportedRequest,
) -> rusqlite::Result<()> {
    let ReportedRequest { session, client, reporter, created, request } = reported;
    let conversation = conversation(session);
    let session = sessions::touch(transaction, session, client, (*created, *created))?;
    transaction
        .prepare_cached(
            "INSERT INTO model_request (session, request, model, input_tokens, cache_read_tokens,
                 cache_write_tokens, cache_write_1h_tokens, output_tokens, created, reporter)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS
                 (SELECT 1 FROM model_request JOIN session ON session.id = model_request.session
                  WHERE reporter <> ?10 AND (key = ?11 OR substr(key, 1, length(?12)) = ?12))
             ON CONFLICT (request) DO UPDATE SET created = min(created, excluded.created),
                 output_tokens = max(output_tokens, excluded.output_tokens)",
        )?
        .execute((
            session,
            &request.id,
            &request.model,
            request.tokens.input as i64,
            request.tokens.cache_read as i64,
            request.tokens.cache_write as i64,
            request.tokens.cache_write_1h as i64,
            request.tokens.output as i64,
            created.0,
            reporter.as_str(),
            conversation,
            subagent_prefix(conversation),
        ))
        .map(drop)
}

pub(super) fn totals(
    connection: &Connection,
    session: Option<&str>,
) -> rusqlite::Result<RequestTotals> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(cache_read_tokens), 0),
                 coalesce(sum(cache_write_tokens), 0), coalesce(sum(cache_write_1h_tokens), 0),
                 coalesce(sum(output_tokens), 0), count(*)
             FROM model_request WHERE ?1 IS NULL OR session IN
                 (SELECT id FROM session WHERE key = ?1 OR substr(key, 1, length(?2)) = ?2)",
        )?
        .query_row((session, session.map(subagent_prefix)), |row| {
            Ok(RequestTotals { requests: row.get::<_, i64>(5)? as u64, tokens: tokens(row)? })
        })
}

/// Reads the first five columns.
pub(super) fn tokens(row: &Row<'_>) -> rusqlite::Result<BilledTokens> {
    let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
    Ok(BilledTokens {
        input: number(0)?,
        cache_read: number(1)?,
        cache_write: number(2)?,
        cache_write_1h: number(3)?,
        output: number(4)?,
    })
}
