//! API tokens, in the user's own database.

use forebay_domain::Timestamp;
use forebay_domain::rights::Grants;
use forebay_store::Token;
use rusqlite::{Connection, Row, Transaction};

pub(super) fn add(transaction: &Transaction<'_>, token: &Token) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO token (id, name, hash, rights, workspace, created, expires, revoked)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            &token.id,
            &token.name,
            &token.hash,
            token.grants.to_string(),
            &token.workspace,
            token.created.0,
            token.expires.map(|at| at.0),
            token.revoked.map(|at| at.0),
        ))
        .map(drop)
}

pub(super) fn list(connection: &Connection) -> rusqlite::Result<Vec<Token>> {
    connection
        .prepare_cached(
            "SELECT id, name, hash, rights, workspace, created, expires, revoked
             FROM token ORDER BY created, id",
        )?
        .query_map([], from_row)?
        .collect()
}

pub(super) fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<Token>> {
    let mut rows = connection.prepare_cached(
        "SELECT id, name, hash, rights, workspace, created, expires, revoked
         FROM token WHERE id = ?1",
    )?;
    rows.query_map([id], from_row)?.next().transpose()
}

/// Returns whether the token was active; revoking again keeps the first time.
pub(super) fn revoke(
    transaction: &Transaction<'_>,
    id: &str,
    at: Timestamp,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("UPDATE token SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL")?
        .execute((id, at.0))
        .map(|changed| changed > 0)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Token> {
    let rights: String = row.get(3)?;
    Ok(Token {
        id: row.get(0)?,
        name: row.get(1)?,
        hash: row.get(2)?,
        // Rights unknown to this version are not granted.
        grants: Grants::parse(&rights).unwrap_or_default(),
        workspace: row.get(4)?,
        created: Timestamp(row.get(5)?),
        expires: row.get::<_, Option<i64>>(6)?.map(Timestamp),
        revoked: row.get::<_, Option<i64>>(7)?.map(Timestamp),
    })
}
