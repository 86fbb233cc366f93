//! Cached values derived from files, with LRU eviction.

use forebay_store::DerivedKey;
use forebay_store::derived::{CompressedValue, USE_UPDATE_INTERVAL, decompress};
use rusqlite::{Connection, OptionalExtension, Transaction};

/// Cached values, and the keys whose last use is to be updated.
pub(super) type CachedValues = (Vec<Option<Vec<u8>>>, Vec<DerivedKey>);

pub(super) fn get(connection: &Connection, keys: &[DerivedKey]) -> rusqlite::Result<CachedValues> {
    let last_use = last_use(connection)?;
    let (mut values, mut used_again) = (Vec::with_capacity(keys.len()), Vec::new());
    for key in keys {
        let found: Option<(i64, Vec<u8>)> = connection
            .prepare_cached("SELECT used, value FROM derived WHERE key = ?1")?
            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if found.as_ref().is_some_and(|(used, _)| last_use - used > USE_UPDATE_INTERVAL) {
            used_again.push(*key);
        }
        values.push(found.and_then(|(_, value)| decompress(&value)));
    }
    Ok((values, used_again))
}

/// Records that values were used.
pub(super) fn touch(transaction: &Transaction<'_>, keys: &[DerivedKey]) -> rusqlite::Result<()> {
    let last_use = last_use(transaction)?;
    let mut update = transaction.prepare_cached("UPDATE derived SET used = ?1 WHERE key = ?2")?;
    keys.iter().try_for_each(|key| update.execute((last_use + 1, key)).map(drop))
}

pub(super) fn store(
    transaction: &Transaction<'_>,
    values: &[CompressedValue],
    max_bytes: u64,
) -> rusqlite::Result<()> {
    let mut used = last_use(transaction)?;
    for CompressedValue { key, value } in values {
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
        .execute([max_bytes as i64])
        .map(drop)
}

pub(super) fn delete_all(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM derived", []).map(drop)
}

fn last_use(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(max(used), 0) FROM derived")?
        .query_row([], |row| row.get(0))
}
