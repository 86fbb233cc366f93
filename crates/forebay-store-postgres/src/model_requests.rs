//! Requests to the model, and what they were billed for.

use forebay_domain::session::{conversation, subagent_prefix};
use forebay_domain::usage::{BilledTokens, RequestTotals};
use forebay_store::ReportedRequest;

use super::connection::ScopedConn;
use super::error::PgError;
use super::sessions;
use super::text::{Name, Text};

pub(super) fn record(conn: &mut ScopedConn<'_>, reported: &ReportedRequest) -> Result<(), PgError> {
    let ReportedRequest { session, client, reporter, created, request } = reported;
    let conversation = conversation(session);
    let session = sessions::touch(conn, session, client, (*created, *created))?;
    conn.execute(
        "INSERT INTO model_request (workspace, project, session, request, model, input_tokens,
             cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, created, reporter)
         SELECT $1, $2, $3::bigint, $4::text, $5::text, $6::bigint, $7::bigint, $8::bigint,
             $9::bigint, $10::bigint, $11::bigint, $12::text WHERE NOT EXISTS
             (SELECT FROM model_request AS known JOIN session
                  ON session.workspace = $1 AND session.project = $2 AND session.id = known.session
              WHERE known.workspace = $1 AND known.project = $2 AND known.reporter <> $12::text
                  AND (key = $13::text OR starts_with(key, $14::text)))
         ON CONFLICT (workspace, project, request) DO UPDATE
             SET created = least(model_request.created, excluded.created),
                 output_tokens = greatest(model_request.output_tokens, excluded.output_tokens)",
        &[
            &session,
            &Name(&request.id),
            &Text(&request.model),
            &(request.tokens.input as i64),
            &(request.tokens.cache_read as i64),
            &(request.tokens.cache_write as i64),
            &(request.tokens.cache_write_1h as i64),
            &(request.tokens.output as i64),
            &created.0,
            &reporter.as_str(),
            &Name(conversation),
            &Text(&subagent_prefix(conversation)),
        ],
    )?;
    Ok(())
}

pub(super) fn totals(
    conn: &mut ScopedConn<'_>,
    session: Option<&str>,
) -> Result<RequestTotals, PgError> {
    let prefix = session.map(subagent_prefix);
    let row = conn.one(
        "SELECT coalesce(sum(input_tokens), 0)::bigint, coalesce(sum(cache_read_tokens), 0)::bigint,
             coalesce(sum(cache_write_tokens), 0)::bigint,
             coalesce(sum(cache_write_1h_tokens), 0)::bigint,
             coalesce(sum(output_tokens), 0)::bigint, count(*)
         FROM model_request WHERE workspace = $1 AND project = $2
             AND ($3::text IS NULL OR session IN
                 (SELECT id FROM session WHERE workspace = $1 AND project = $2
                      AND (key = $3 OR starts_with(key, $4))))",
        &[&session.map(Name), &prefix.as_deref().map(Text)],
    )?;
    Ok(RequestTotals { requests: row.try_get::<_, i64>(5)? as u64, tokens: tokens(&row)? })
}

/// Reads the first five columns.
pub(super) fn tokens(row: &postgres::Row) -> Result<BilledTokens, PgError> {
    let number =
        |column: usize| -> Result<u64, PgError> { Ok(row.try_get::<_, i64>(column)? as u64) };
    Ok(BilledTokens {
        input: number(0)?,
        cache_read: number(1)?,
        cache_write: number(2)?,
        cache_write_1h: number(3)?,
        output: number(4)?,
    })
}
