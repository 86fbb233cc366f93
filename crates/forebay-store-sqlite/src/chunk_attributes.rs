//! Caches immutable attributes of chunks.

use forebay_domain::EntryKind;
use forebay_store::document::DocumentId;
use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension, Row};

/// Cached attributes of chunks.
#[derive(Debug, Default)]
pub(super) struct ChunkAttributes {
    kinds: AttributeCache<EntryKind>,
    are_code: AttributeCache<bool>,
    documents: AttributeCache<DocumentId>,
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

/// Looks up documents with a connection.
pub(super) struct Documents<'a> {
    pub(super) connection: &'a Connection,
    pub(super) attributes: &'a ChunkAttributes,
}

impl forebay_store::document::Documents for Documents<'_> {
    type Error = rusqlite::Error;

    fn of_chunks(&mut self, chunk_ids: &[i64]) -> rusqlite::Result<Vec<Option<DocumentId>>> {
        const SQL: &str = "SELECT entry, key FROM chunk WHERE id = ?1";
        let read_one = |chunk_id| read(self.connection, SQL, chunk_id, read_document);
        let documents = &self.attributes.documents;
        chunk_ids.iter().map(|id| documents.get(*id, || read_one(*id))).collect()
    }

    fn chunks(&mut self, document: DocumentId) -> rusqlite::Result<Vec<i64>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT entry, key, id FROM chunk WHERE entry = ?1 ORDER BY id")?;
        let mut rows = statement.query([document.entry])?;
        let mut chunk_ids = Vec::new();
        while let Some(row) = rows.next()? {
            if read_document(row)? == document {
                chunk_ids.push(row.get(2)?);
            }
        }
        Ok(chunk_ids)
    }
}

fn read_document(row: &Row<'_>) -> rusqlite::Result<DocumentId> {
    Ok(DocumentId::new(row.get(0)?, row.get_ref(1)?.as_str_or_null()?))
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
