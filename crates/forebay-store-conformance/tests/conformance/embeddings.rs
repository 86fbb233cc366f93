//! Embeddings of a remote model are stored beside the built-in ones and never compared with them.

use forebay_domain::{Ending, EntryKind, Reference};
use forebay_store::prelude::*;
use forebay_store::{
    ChunkEmbedding, Embedding, EmbeddingProgress, IndexQuery, NewChunk, PurgeSelection, Store,
};
use forebay_store_postgres::PostgresStore;

use crate::engine::{
    NOW, chunks_of, for_each_engine, found, hits, new_entry, on_postgres, put_run,
};

const MODEL: &str = "remote:small/3";
const OTHER: &str = "remote:large/3";

/// Stores the same vector for every chunk without an embedding.
fn embed_missing(store: &dyn Store, model: &str, vector: Option<[i8; 3]>) -> usize {
    let waiting = store.chunks_without_embedding(model, 100).unwrap();
    let embeddings: Vec<ChunkEmbedding> = waiting
        .iter()
        .map(|chunk| ChunkEmbedding { chunk_id: chunk.chunk_id, vector: bytes(vector) })
        .collect();
    store.store_embeddings(model, &embeddings).unwrap();
    embeddings.len()
}

fn bytes(vector: Option<[i8; 3]>) -> Option<Vec<u8>> {
    vector.map(|vector| vector.map(i8::cast_unsigned).to_vec())
}

fn nearest(store: &dyn Store, model: &str, vector: &[i8]) -> Vec<Reference> {
    let vector = vector.iter().map(|number| number.cast_unsigned()).collect();
    let embedding = Some(Embedding { model: model.to_owned().into(), vector });
    let query = IndexQuery { embedding, limit: 10, ..IndexQuery::default() };
    hits(store, &query).into_iter().map(|hit| hit.reference).collect()
}

#[test]
fn chunks_are_embedded_newest_first() {
    for_each_engine(|store| {
        let entries = ["one", "two", "three"]
            .map(|text| put_run(store, "cat", text.as_bytes(), Ending::Exited(0)).reference);
        assert_eq!(
            store.embedding_progress(MODEL).unwrap(),
            EmbeddingProgress { embedded: 0, pending: 3 }
        );
        let waiting = store.chunks_without_embedding(MODEL, 2).unwrap();
        let references: Vec<Reference> = waiting.iter().map(|chunk| chunk.reference).collect();
        assert_eq!(references, [entries[2], entries[1]]);
        let embedding =
            ChunkEmbedding { chunk_id: waiting[0].chunk_id, vector: bytes(Some([90, 0, 0])) };
        // Again, and for a chunk that was deleted.
        let deleted = ChunkEmbedding { chunk_id: 99_999, vector: bytes(Some([1, 1, 1])) };
        store.store_embeddings(MODEL, &[embedding.clone(), deleted]).unwrap();
        store
            .store_embeddings(
                MODEL,
                &[ChunkEmbedding { vector: bytes(Some([0, 90, 0])), ..embedding }],
            )
            .unwrap();
        assert_eq!(
            store.embedding_progress(MODEL).unwrap(),
            EmbeddingProgress { embedded: 1, pending: 2 }
        );
        assert_eq!(nearest(store, MODEL, &[80, 1, 0]), [entries[2]]);
        // Older chunks are embedded later, and found as well.
        assert_eq!(embed_missing(store, MODEL, Some([70, 30, 0])), 2);
        assert_eq!(nearest(store, MODEL, &[80, 1, 0]).len(), 3);
        assert_eq!(
            store.embedding_progress(MODEL).unwrap(),
            EmbeddingProgress { embedded: 3, pending: 0 }
        );
        store
            .purge(
                &PurgeSelection { references: entries.to_vec(), ..PurgeSelection::default() },
                NOW,
            )
            .unwrap();
        assert_eq!(nearest(store, MODEL, &[80, 1, 0]), []);
        assert_eq!(store.embedding_progress(MODEL).unwrap(), EmbeddingProgress::default());
    });
}

#[test]
fn vectors_of_different_models_are_not_compared() {
    for_each_engine(|store| {
        let entry = put_run(store, "cat", b"walrus", Ending::Exited(0)).reference;
        embed_missing(store, MODEL, Some([90, 0, 0]));
        assert_eq!(nearest(store, MODEL, &[90, 0, 0]), [entry]);
        assert_eq!(nearest(store, OTHER, &[90, 0, 0]), []);
        assert_eq!(nearest(store, "forebay-static-1", &[90, 0, 0]), []);
        assert_eq!(embed_missing(store, OTHER, Some([0, 90, 0])), 1, "another model starts over");
        assert_eq!(nearest(store, OTHER, &[90, 0, 0]), []);
        assert_eq!(nearest(store, OTHER, &[0, 90, 0]), [entry]);
        // An older process still uses the first model.
        assert_eq!(nearest(store, MODEL, &[90, 0, 0]), [entry]);
        assert_eq!(embed_missing(store, MODEL, Some([0, 0, 90])), 0);
        assert_eq!(found(store, "walrus"), [entry]);
    });
}

#[test]
fn a_chunk_without_a_vector_is_not_requested_again() {
    for_each_engine(|store| {
        put_run(store, "cat", b"one", Ending::Exited(0));
        let entry = put_run(store, "cat", b"two", Ending::Exited(0)).reference;
        let newest = store.chunks_without_embedding(MODEL, 1).unwrap();
        let embedding =
            ChunkEmbedding { chunk_id: newest[0].chunk_id, vector: bytes(Some([90, 0, 0])) };
        store.store_embeddings(MODEL, &[embedding]).unwrap();
        assert_eq!(embed_missing(store, MODEL, None), 1);
        assert_eq!(embed_missing(store, MODEL, None), 0);
        assert_eq!(nearest(store, MODEL, &[90, 0, 0]), [entry]);
        // A query of another width matches none of them.
        assert_eq!(nearest(store, MODEL, &[90, 0, 0, 0]), []);
    });
}

#[test]
fn finds_the_nearest_of_many_chunks_by_the_server_index() {
    on_postgres(|address| {
        let store = PostgresStore::open(address, "project").unwrap();
        let lines = 3_200;
        let mut upload = store.upload().unwrap();
        let mut chunks = Vec::new();
        for line in 0..lines {
            let text = format!("line {line}\n");
            let mut chunk = chunks_of("log", text.as_bytes()).remove(0);
            chunk.start = chunks.iter().map(|chunk: &NewChunk| chunk.bytes).sum();
            chunk.lines = (line + 1, line + 1);
            upload.write(text.as_bytes()).unwrap();
            chunks.push(chunk);
        }
        for chunk in chunks {
            upload.chunk(chunk).unwrap();
        }
        upload.finish(new_entry(EntryKind::Run, "log")).unwrap();
        let model = "remote:usual/384";
        let waiting = store.chunks_without_embedding(model, 4_000).unwrap();
        assert_eq!(waiting.len() as u64, lines);
        let vector = |at: usize| -> Vec<u8> {
            (0..384).map(|place| if place == at % 384 { 100 } else { 1 }).collect()
        };
        let embeddings: Vec<ChunkEmbedding> = (0..)
            .zip(&waiting)
            .map(|(at, one)| ChunkEmbedding { chunk_id: one.chunk_id, vector: Some(vector(at)) })
            .collect();
        store.store_embeddings(model, &embeddings).unwrap();
        let embedding = Some(Embedding { model: model.to_owned().into(), vector: vector(7) });
        let query = IndexQuery { embedding, limit: 3, ..IndexQuery::default() };
        let hits = hits(&store, &query);
        assert_eq!(hits.len(), 3);
        // The newest are embedded first: the seventh from the end, and those with an equal vector.
        assert!(hits.iter().all(|hit| (lines - hit.lines.0) % 384 == 7), "{hits:?}");
        assert!(hits.iter().all(|hit| hit.similarity > 0.99), "{hits:?}");
    });
}
