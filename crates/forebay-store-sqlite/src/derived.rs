//! What was made from files: compressed, and bounded by use.

use forebay_store::DerivedKey;
use forebay_store::derived::{CompressedValue, USES_APART, unpacked};
use rusqlite::{Connection, OptionalExtension, Transaction};

pub(super) fn get(
    connection: &Connection,
    keys: &[DerivedKey],
) -> rusqlite::Result<Vec<Option<Vec<u8>>>> {
    let newest = newest(connection)?;
    keys.iter().map(|key| get_one(connection, key, newest)).collect()
}

fn get_one(
    connection: &Connection,
    key: &DerivedKey,
    newest: i64,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let found: Option<(i64, Vec<u8>)> = connection
        .prepare_cached("SELECT used, value FROM derived WHERE key = ?1")?
        .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((used, value)) = found else { return Ok(None) };
    if newest - used > USES_APART {
        connection
            .prepare_cached("UPDATE derived SET used = ?1 WHERE key = ?2")?
            .execute((newest + 1, key))?;
    }
    Ok(unpacked(&value))
}

pub(super) fn keep(
    transaction: &Transaction<'_>,
    made: &[CompressedValue],
    most_bytes: u64,
) -> rusqlite::Result<()> {
    let mut used = newest(transaction)?;
    for CompressedValue { key, value } in made {
        used += 1;
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO derived (key, bytes, used, value) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute((key, value.len() as i64, used, value))?;
    }
    transaction
        .prepare_cached(
            "DELETE FROM derived WHERE used <=
                 (SELECT used FROM
                      (SELECT used, sum(bytes) OVER (ORDER BY used DESC) AS total FROM derived)
                  WHERE total > ?1 ORDER BY used DESC LIMIT 1)",
        )?
        .execute([most_bytes as i64])
        .map(drop)
}

pub(super) fn forget_all(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM derived", []).map(drop)
}

fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(max(used), 0) FROM derived")?
        .query_row([], |row| row.get(0))
}
