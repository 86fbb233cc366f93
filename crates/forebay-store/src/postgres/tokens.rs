//! Tokens of a server, kept beside what they lead to.

use ::postgres::Row;
use forebay_domain::Timestamp;
use forebay_domain::rights::Rights;

use super::connection::Work;
use super::fault::Fault;
use super::text::{Name, Text};
use crate::token::Token;

const COLUMNS: &str = "id, name, hash, rights, leads_to, created, expires, revoked";

pub(super) fn keep(work: &mut Work<'_>, token: &Token) -> Result<(), Fault> {
    work.execute(
        &format!(
            "INSERT INTO token (workspace, project, {COLUMNS})
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        &[
            &Name(&token.id),
            &Text(&token.name),
            &Text(&token.hash),
            &token.rights.to_string(),
            &token.workspace.as_deref().map(Name),
            &token.created.0,
            &token.expires.map(|at| at.0),
            &token.revoked.map(|at| at.0),
        ],
    )?;
    Ok(())
}

pub(super) fn list(work: &mut Work<'_>) -> Result<Vec<Token>, Fault> {
    let rows = work.query(
        &format!(
            "SELECT {COLUMNS} FROM token WHERE workspace = $1 AND project = $2
             ORDER BY created, id"
        ),
        &[],
    )?;
    rows.iter().map(read).collect()
}

pub(super) fn find(work: &mut Work<'_>, id: &str) -> Result<Option<Token>, Fault> {
    let row = work.first(
        &format!("SELECT {COLUMNS} FROM token WHERE workspace = $1 AND project = $2 AND id = $3"),
        &[&Name(id)],
    )?;
    row.as_ref().map(read).transpose()
}

/// Says whether it was there and in force; a second revocation keeps the first one's moment.
pub(super) fn revoke(work: &mut Work<'_>, id: &str, at: Timestamp) -> Result<bool, Fault> {
    let changed = work.execute(
        "UPDATE token SET revoked = $4
         WHERE workspace = $1 AND project = $2 AND id = $3 AND revoked IS NULL",
        &[&Name(id), &at.0],
    )?;
    Ok(changed > 0)
}

fn read(row: &Row) -> Result<Token, Fault> {
    let rights: String = row.try_get(3)?;
    Ok(Token {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        hash: row.try_get(2)?,
        // A right that this version does not know is one it cannot grant.
        rights: Rights::from_words(&rights).unwrap_or_default(),
        workspace: row.try_get(4)?,
        created: Timestamp(row.try_get(5)?),
        expires: row.try_get::<_, Option<i64>>(6)?.map(Timestamp),
        revoked: row.try_get::<_, Option<i64>>(7)?.map(Timestamp),
    })
}
