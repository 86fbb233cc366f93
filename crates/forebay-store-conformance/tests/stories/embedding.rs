//! What a server's model tells is kept beside what the built-in one does, and never meets it.

use forebay_domain::{Ending, EntryKind, Reference};
use forebay_store::prelude::*;
use forebay_store::{
    ChunkEmbedding, Embedding, EmbeddingProgress, IndexQuery, NewChunk, PurgeSelection, Store,
};
use forebay_store_postgres::PostgresStore;

use crate::engine::{
    NOW, chunks_of, found, hits, new_entry, on_every_engine, on_postgres, put_run,
};

const MODEL: &str = "remote:small/3";
const OTHER: &str = "remote:large/3";

/// Has the model tell the same of every passage that it was not asked about.
fn embed_rest(store: &dyn Store, model: &str, vector: Option<[i8; 3]>) -> usize {
    let waiting = store.chunks_without_embedding(model, 100).unwrap();
    let told: Vec<ChunkEmbedding> = waiting
        .iter()
        .map(|passage| ChunkEmbedding { passage: passage.passage, vector: bytes(vector) })
        .collect();
    store.embed(model, &told).unwrap();
    told.len()
}

fn bytes(vector: Option<[i8; 3]>) -> Option<Vec<u8>> {
    vector.map(|vector| vector.map(i8::cast_unsigned).to_vec())
}

fn near(store: &dyn Store, model: &str, vector: &[i8]) -> Vec<Reference> {
    let vector = vector.iter().map(|number| number.cast_unsigned()).collect();
    let meaning = Some(Embedding { model: model.to_owned().into(), vector });
    let query = IndexQuery { meaning, limit: 10, ..IndexQuery::default() };
    hits(store, &query).into_iter().map(|hit| hit.reference).collect()
}

#[test]
fn passages_wait_the_newest_first_until_the_model_was_asked() {
    on_every_engine(|store| {
        let entries = ["one", "two", "three"]
            .map(|text| put_run(store, "cat", text.as_bytes(), Ending::Exited(0)).reference);
        assert_eq!(store.embedded(MODEL).unwrap(), EmbeddingProgress { passages: 0, waiting: 3 });
        let waiting = store.chunks_without_embedding(MODEL, 2).unwrap();
        let references: Vec<Reference> = waiting.iter().map(|one| one.reference).collect();
        assert_eq!(references, [entries[2], entries[1]]);
        let told = ChunkEmbedding { passage: waiting[0].passage, vector: bytes(Some([90, 0, 0])) };
        // A second time, and of a passage that is gone.
        let gone = ChunkEmbedding { passage: 99_999, vector: bytes(Some([1, 1, 1])) };
        store.embed(MODEL, &[told.clone(), gone]).unwrap();
        store.embed(MODEL, &[ChunkEmbedding { vector: bytes(Some([0, 90, 0])), ..told }]).unwrap();
        assert_eq!(store.embedded(MODEL).unwrap(), EmbeddingProgress { passages: 1, waiting: 2 });
        assert_eq!(near(store, MODEL, &[80, 1, 0]), [entries[2]]);
        // Older ones come later, and are found as well.
        assert_eq!(embed_rest(store, MODEL, Some([70, 30, 0])), 2);
        assert_eq!(near(store, MODEL, &[80, 1, 0]).len(), 3);
        assert_eq!(store.embedded(MODEL).unwrap(), EmbeddingProgress { passages: 3, waiting: 0 });
        store
            .purge(
                &PurgeSelection { references: entries.to_vec(), ..PurgeSelection::default() },
                NOW,
            )
            .unwrap();
        assert_eq!(near(store, MODEL, &[80, 1, 0]), []);
        assert_eq!(store.embedded(MODEL).unwrap(), EmbeddingProgress::default());
    });
}

#[test]
fn vectors_of_two_models_never_meet() {
    on_every_engine(|store| {
        let entry = put_run(store, "cat", b"walrus", Ending::Exited(0)).reference;
        embed_rest(store, MODEL, Some([90, 0, 0]));
        assert_eq!(near(store, MODEL, &[90, 0, 0]), [entry]);
        assert_eq!(near(store, OTHER, &[90, 0, 0]), []);
        assert_eq!(near(store, "forebay-static-1", &[90, 0, 0]), []);
        assert_eq!(embed_rest(store, OTHER, Some([0, 90, 0])), 1, "it is asked about anew");
        assert_eq!(near(store, OTHER, &[90, 0, 0]), []);
        assert_eq!(near(store, OTHER, &[0, 90, 0]), [entry]);
        // An older process is still at work with the first.
        assert_eq!(near(store, MODEL, &[90, 0, 0]), [entry]);
        assert_eq!(embed_rest(store, MODEL, Some([0, 0, 90])), 0);
        assert_eq!(found(store, "walrus"), [entry]);
    });
}

#[test]
fn what_a_model_says_nothing_of_is_not_asked_about_again() {
    on_every_engine(|store| {
        put_run(store, "cat", b"one", Ending::Exited(0));
        let entry = put_run(store, "cat", b"two", Ending::Exited(0)).reference;
        let newest = store.chunks_without_embedding(MODEL, 1).unwrap();
        let told = ChunkEmbedding { passage: newest[0].passage, vector: bytes(Some([90, 0, 0])) };
        store.embed(MODEL, &[told]).unwrap();
        assert_eq!(embed_rest(store, MODEL, None), 1);
        assert_eq!(embed_rest(store, MODEL, None), 0);
        assert_eq!(near(store, MODEL, &[90, 0, 0]), [entry]);
        // A question of another length meets none of them.
        assert_eq!(near(store, MODEL, &[90, 0, 0, 0]), []);
    });
}

#[test]
fn among_many_passages_the_server_finds_the_nearest_by_its_index() {
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
        let told: Vec<ChunkEmbedding> = (0..)
            .zip(&waiting)
            .map(|(at, one)| ChunkEmbedding { passage: one.passage, vector: Some(vector(at)) })
            .collect();
        store.embed(model, &told).unwrap();
        let meaning = Some(Embedding { model: model.to_owned().into(), vector: vector(7) });
        let query = IndexQuery { meaning, limit: 3, ..IndexQuery::default() };
        let hits = hits(&store, &query);
        assert_eq!(hits.len(), 3);
        // The newest come first, so the seventh from the end, and those whose vector is the same.
        assert!(hits.iter().all(|hit| (lines - hit.lines.0) % 384 == 7), "{hits:?}");
        assert!(hits.iter().all(|hit| hit.similarity > 0.99), "{hits:?}");
    });
}
