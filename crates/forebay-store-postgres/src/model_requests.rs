//! Requests to the model, and what they were billed for.

use forebay_domain::session::subagent_prefix;
use forebay_domain::usage::{BilledTokens, RequestTotals};
use forebay_store::ReportedRequest;

use super::connection::ScopedConn;
use super::error::PgError;
use super::sessions;
use super::text::{Name, Text};

pub(super) fn record(conn: &mut ScopedConn<'_>, reported: &ReportedRequest) -> Result<(), PgError> {
    let ReportedRequest { session, client, created, request } = reported;
    let session = sessions::touch(conn, session, client, (*created, *created))?;
    conn.execute(
        "INSERT INTO model_request (workspace, project, session, request, model, input_tokens,
             cache_read_tokens, cache_write_tokens, output_tokens, created)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (workspace, project, request) DO NOTHING",
        &[
            &session,
            &Name(&request.id),
            &Text(&request.model),
            &(request.tokens.input as i64),
            &(request.tokens.cache_read as i64),
            &(request.tokens.cache_write as i64),
            &(request.tokens.output as i64),
            &created.0,
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
        "SELECT count(*), coalesce(sum(input_tokens), 0)::bigint,
             coalesce(sum(cache_read_tokens), 0)::bigint,
             coalesce(sum(cache_write_tokens), 0)::bigint, coalesce(sum(output_tokens), 0)::bigint
         FROM model_request WHERE workspace = $1 AND project = $2
             AND ($3::text IS NULL OR session IN
                 (SELECT id FROM session WHERE workspace = $1 AND project = $2
                      AND (key = $3 OR starts_with(key, $4))))",
        &[&session.map(Name), &prefix.as_deref().map(Text)],
    )?;
    let number =
        |column: usize| -> Result<u64, PgError> { Ok(row.try_get::<_, i64>(column)? as u64) };
    let tokens = BilledTokens {
        input: number(1)?,
        cache_read: number(2)?,
        cache_write: number(3)?,
        cache_write_1h: 0,
        output: number(4)?,
    };
    Ok(RequestTotals { requests: number(0)?, tokens })
}
