//! Cache of values derived from files: compressed, bounded, least recently used evicted first.

use std::collections::HashMap;

use forebay_store::DerivedKey;
use forebay_store::derived::{CompressedValue, USE_UPDATE_INTERVAL, decompress};

use super::connection::ScopedConn;
use super::error::PgError;

pub(super) fn get(
    conn: &mut ScopedConn<'_>,
    keys: &[DerivedKey],
) -> Result<Vec<Option<Vec<u8>>>, PgError> {
    let hashes: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
    let rows = conn.query(
        "SELECT key, used, value,
             (SELECT max(used) FROM derived WHERE workspace = $1 AND project = $2)
         FROM derived WHERE workspace = $1 AND project = $2 AND key = ANY ($3)",
        &[&hashes],
    )?;
    let mut found: HashMap<&[u8], &[u8]> = HashMap::new();
    let mut used_again: Vec<&[u8]> = Vec::new();
    for row in &rows {
        let (key, used, newest): (&[u8], i64, i64) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(3)?);
        found.insert(key, row.try_get(2)?);
        if newest - used > USE_UPDATE_INTERVAL {
            used_again.push(key);
        }
    }
    if !used_again.is_empty() {
        conn.execute(
            "UPDATE derived SET used = nextval('use')
             WHERE workspace = $1 AND project = $2 AND key = ANY ($3)",
            &[&used_again],
        )?;
    }
    Ok(hashes.iter().map(|key| found.get(key).and_then(|value| decompress(value))).collect())
}

pub(super) fn put(
    conn: &mut ScopedConn<'_>,
    values: &[CompressedValue],
    max_bytes: u64,
) -> Result<(), PgError> {
    for CompressedValue { key, value } in values {
        conn.execute(
            "INSERT INTO derived (workspace, project, key, bytes, used, value)
             VALUES ($1, $2, $3, $4, nextval('use'), $5)
             ON CONFLICT (workspace, project, key) DO UPDATE
                 SET bytes = excluded.bytes, used = excluded.used, value = excluded.value",
            &[&key.as_slice(), &(value.len() as i64), value],
        )?;
    }
    conn.execute(
        "DELETE FROM derived WHERE workspace = $1 AND project = $2 AND used <=
             (SELECT used FROM
                 (SELECT used, sum(bytes) OVER (ORDER BY used DESC) AS total FROM derived
                  WHERE workspace = $1 AND project = $2) AS running
              WHERE total > $3::bigint ORDER BY used DESC LIMIT 1)",
        &[&i64::try_from(max_bytes).unwrap_or(i64::MAX)],
    )?;
    Ok(())
}

pub(super) fn clear(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    conn.execute("DELETE FROM derived WHERE workspace = $1 AND project = $2", &[])?;
    Ok(())
}
