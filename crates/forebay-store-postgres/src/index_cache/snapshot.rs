//! Snapshot of all words and embeddings of a project, loaded page by page.

use std::collections::HashSet;

use forebay_store::Embedding;
use forebay_store::vector_index::{VectorIndex, exceeds_limits};

use ::postgres::Row;

use super::super::connection::ScopedConn;
use super::super::error::PgError;
use super::chunk::{ChunkAttributes, ChunkRow};
use super::inverted_index::InvertedIndex;

/// Chunks per page: some megabytes.
pub(super) const PAGE_SIZE: i64 = 2_000;

/// The model of the cached embeddings: its name and the dimension of its vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) dimension: i32,
}

impl Model {
    /// Returns the query's model if its embeddings are cacheable, else the empty model.
    pub(super) fn for_query(query: Option<&Embedding>) -> Self {
        let built_in = query.filter(|embedding| !embedding.is_remote());
        let model = |embedding: &Embedding| Self {
            name: super::super::text::stored(&embedding.model),
            dimension: embedding.vector.len() as i32,
        };
        built_in.map(model).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.name.is_empty()
    }
}

#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) words: InvertedIndex,
    pub(super) model: Model,
    pub(super) vectors: VectorIndex,
}

impl Snapshot {
    pub(super) fn add(&mut self, new: &ChunkRow<'_>, project: &str) {
        if let Some(vector) = new.embedding.as_ref().filter(|_| !self.words.contains(new.id)) {
            self.vectors.add(new.id, &vector.0);
        }
        self.words.add(new, project);
    }

    /// Retains only these chunks.
    pub(super) fn retain(&mut self, existing: &HashSet<i64>) {
        self.words.retain(existing);
        self.vectors.retain(existing);
    }

    pub(super) fn is_too_large(&self) -> bool {
        let chunks = self.words.sizes().chunks as i64;
        self.words.is_too_large() || exceeds_limits(chunks, self.model.dimension as usize)
    }
}

/// Chunk ids with the attributes of each chunk.
pub(super) type AttributeList = Vec<(i64, ChunkAttributes)>;

/// Loads the snapshot and the chunks' attributes; returns None if it is too large.
pub(super) fn read(
    conn: &mut ScopedConn<'_>,
    model: Model,
) -> Result<Option<(Snapshot, AttributeList)>, PgError> {
    let project = conn.scope().project.to_string();
    let vectors = VectorIndex::new(model.dimension as usize);
    let mut snapshot = Snapshot { words: InvertedIndex::default(), model, vectors };
    let (mut attributes, mut last) = (Vec::new(), 0);
    loop {
        let rows = read_page(conn, &snapshot.model, last)?;
        for row in &rows {
            let chunk = ChunkRow::read(row)?;
            last = chunk.id;
            attributes.push((chunk.id, chunk.attributes));
            snapshot.add(&chunk, &project);
        }
        if snapshot.is_too_large() {
            return Ok(None);
        }
        if (rows.len() as i64) < PAGE_SIZE {
            snapshot.words.shrink_to_fit();
            return Ok(Some((snapshot, attributes)));
        }
    }
}

fn read_page(conn: &mut ScopedConn<'_>, model: &Model, last: i64) -> Result<Vec<Row>, PgError> {
    let sql = format!(
        "SELECT {} FROM (SELECT * FROM chunk WHERE workspace = $1 AND project = $2 AND id > $5
             ORDER BY id LIMIT $6) AS chunk ORDER BY chunk.id",
        ChunkRow::COLUMNS
    );
    conn.query(&sql, &[&model.name, &model.dimension, &last, &PAGE_SIZE])
}

/// Returns the ids of all chunks.
pub(super) fn chunk_ids(conn: &mut ScopedConn<'_>) -> Result<HashSet<i64>, PgError> {
    let row = conn.one(
        "SELECT coalesce(array_agg(id), '{}') FROM chunk WHERE workspace = $1 AND project = $2",
        &[],
    )?;
    Ok(row.try_get::<_, Vec<i64>>(0)?.into_iter().collect())
}
