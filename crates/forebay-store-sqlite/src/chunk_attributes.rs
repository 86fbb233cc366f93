//! Caches immutable attributes of chunks.

use forebay_domain::EntryKind;
use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension, Row};

/// Cached attributes of chunks.
#[derive(Debug, Default)]
pub(super) struct ChunkAttributes {
    kinds: AttributeCache<EntryKind>,
    are_code: AttributeCache<bool>,
}

impl ChunkAttributes {
    /// Returns the kind of a chunk's entry; None if there is no such chunk.
    pub(super) fn kind(
        &self,
        connection: &Connection,
        chunk_id: i64,
    ) -> rusqlite::Result<Option<EntryKind>> {
        const SQL: &str =
            "SELECT entry.kind FROM chunk JOIN entry ON entry.id = chunk.entry WHERE chunk.id = ?1";
        let kind = |row: &Row<'_>| Ok(EntryKind::parse(row.get_ref(0)?.as_str()?));
        self.kinds.get(chunk_id, || read(connection, SQL, chunk_id, kind).map(Option::flatten))
    }

    /// Returns whether each chunk is source code; `false` without an embedding, which has that
    /// column.
    pub(super) fn are_code(
        &self,
        connection: &Connection,
        chunk_ids: &[i64],
    ) -> rusqlite::Result<Vec<bool>> {
        const SQL: &str = "SELECT code FROM meaning WHERE chunk = ?1";
        let is_code = |chunk_id| read(connection, SQL, chunk_id, |row| row.get(0));
        let mut are_code = self.are_code.get_cached(chunk_ids);
        for (chunk_id, cached) in chunk_ids.iter().zip(&mut are_code) {
            if cached.is_none() {
                *cached = self.are_code.get(*chunk_id, || is_code(*chunk_id))?;
            }
        }
        Ok(are_code.into_iter().map(Option::unwrap_or_default).collect())
    }
}

fn read<T>(
    connection: &Connection,
    sql: &str,
    chunk_id: i64,
    map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    connection.prepare_cached(sql)?.query_row([chunk_id], map).optional()
}

/// One attribute by chunk id; missing values are not cached.
#[derive(Debug)]
struct AttributeCache<T>(RwLock<Vec<Option<T>>>);

impl<T> Default for AttributeCache<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Copy> AttributeCache<T> {
    fn get(
        &self,
        chunk_id: i64,
        read: impl FnOnce() -> rusqlite::Result<Option<T>>,
    ) -> rusqlite::Result<Option<T>> {
        let index = index(chunk_id);
        if let Some(Some(cached)) = self.0.read().get(index) {
            return Ok(Some(*cached));
        }
        let found = read()?;
        if found.is_some() {
            let mut cached = self.0.write();
            if cached.len() <= index {
                cached.resize(index + 1, None);
            }
            cached[index] = found;
        }
        Ok(found)
    }

    /// Returns the cached value of each chunk.
    fn get_cached(&self, chunk_ids: &[i64]) -> Vec<Option<T>> {
        let cached = self.0.read();
        chunk_ids.iter().map(|chunk_id| cached.get(index(*chunk_id)).copied().flatten()).collect()
    }
}

/// Returns the index of a chunk's value.
fn index(chunk_id: i64) -> usize {
    usize::try_from(chunk_id).unwrap_or_default()
}
