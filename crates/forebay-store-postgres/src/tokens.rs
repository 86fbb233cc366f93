//! Access tokens, stored in the user's own store.

use forebay_domain::Timestamp;
use forebay_domain::rights::Grants;
use forebay_store::Token;
use postgres::Row;

use super::connection::ScopedConn;
use super::error::PgError;
use super::text::{Name, Text};

pub(super) fn add(conn: &mut ScopedConn<'_>, token: &Token) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO token (workspace, project, id, name, hash, rights, leads_to, created, expires, revoked)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            &Name(&token.id),
            &Text(&token.name),
            &Text(&token.hash),
            &token.grants.to_string(),
            &token.workspace.as_deref().map(Text),
            &token.created.0,
            &token.expires.map(|at| at.0),
            &token.revoked.map(|at| at.0),
        ],
    )?;
    Ok(())
}

const TOKENS: &str = "
    SELECT id, name, hash, rights, leads_to, created, expires, revoked
    FROM token WHERE workspace = $1 AND project = $2";

pub(super) fn list(conn: &mut ScopedConn<'_>) -> Result<Vec<Token>, PgError> {
    conn.query(&format!("{TOKENS} ORDER BY created, id"), &[])?.iter().map(from_row).collect()
}

pub(super) fn find(conn: &mut ScopedConn<'_>, id: &str) -> Result<Option<Token>, PgError> {
    let row = conn.first(&format!("{TOKENS} AND id = $3"), &[&Name(id)])?;
    row.as_ref().map(from_row).transpose()
}

/// Returns whether the token existed and was valid; a second revocation keeps the first time.
pub(super) fn revoke(conn: &mut ScopedConn<'_>, id: &str, at: Timestamp) -> Result<bool, PgError> {
    let changed = conn.execute(
        "UPDATE token SET revoked = $4
         WHERE workspace = $1 AND project = $2 AND id = $3 AND revoked IS NULL",
        &[&Name(id), &at.0],
    )?;
    Ok(changed > 0)
}

fn from_row(row: &Row) -> Result<Token, PgError> {
    Ok(Token {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        hash: row.try_get(2)?,
        // Unknown rights of a newer version cannot be granted.
        grants: Grants::parse(row.try_get(3)?).unwrap_or_default(),
        workspace: row.try_get(4)?,
        created: Timestamp(row.try_get(5)?),
        expires: row.try_get::<_, Option<i64>>(6)?.map(Timestamp),
        revoked: row.try_get::<_, Option<i64>>(7)?.map(Timestamp),
    })
}
