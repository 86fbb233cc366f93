//! The engines under test, and helpers to fill a store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use forebay_domain::{
    Ending, Entry, EntryKind, Hit, NoteKind, Reference, RunRecord, Spans, Timestamp,
};
use forebay_store::{IndexQuery, NewChunk, NewDetail, NewEntry, NewNote, Store, StoreError};
use forebay_store_postgres::{Address, PostgresStore};
use forebay_store_sqlite::SqliteStore;
use forebay_text::chunk::Chunker;

/// Runs a test on every engine, each with an empty store.
pub(crate) fn for_each_engine(test: impl Fn(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(&folder.path().join("sqlite/store.db")).unwrap();
    test(&sqlite);
    on_postgres(|address| test(&PostgresStore::open(address, "project").unwrap()));
}

/// Runs a test on a PostgreSQL server, in a workspace of its own.
///
/// `cargo xtask test` starts one; without a server the test is reported as skipped.
pub(crate) fn on_postgres(test: impl Fn(&Address)) {
    let Ok(server) = std::env::var("FOREBAY_TEST_POSTGRES") else {
        return forebay_test_support::skip("FOREBAY_TEST_POSTGRES is not set");
    };
    test(&Address::parse(&server, &unused_name()).unwrap());
}

/// Returns a name that is unused on the server.
pub(crate) fn unused_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("test_{}_{}_{count}", std::process::id(), since.as_nanos())
}

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);

pub(crate) fn new_entry(kind: EntryKind, title: &str) -> NewEntry {
    NewEntry {
        kind,
        title: title.to_owned(),
        source: String::new(),
        session: "session-1".to_owned(),
        client: "test".to_owned(),
        branch: Some("main".to_owned()),
        created: NOW,
        digest: format!("digest of {title}"),
        detail: NewDetail::Plain,
        command: None,
        has_all_chunks: true,
        replaces_source: false,
    }
}

pub(crate) fn chunks_of(title: &str, raw: &[u8]) -> Vec<NewChunk> {
    let mut chunks = Vec::new();
    let mut emit = |chunk: forebay_text::chunk::Chunk| {
        chunks.push(NewChunk {
            start: chunk.start,
            bytes: chunk.bytes.len() as u64,
            lines: chunk.lines,
            title: title.to_owned(),
            text: String::from_utf8_lossy(&chunk.bytes).into_owned(),
            key: None,
            created: None,
            context: String::new(),
            embedding: None,
            is_code: false,
        });
    };
    let mut chunker = Chunker::default();
    chunker.push(raw, &mut emit);
    chunker.finish(&mut emit);
    chunks
}

pub(crate) fn put(store: &dyn Store, new: NewEntry, raw: &[u8]) -> Entry {
    let chunks = chunks_of(&new.title, raw);
    let mut upload = store.upload().unwrap();
    upload.write(raw).unwrap();
    for chunk in chunks {
        upload.chunk(chunk).unwrap();
    }
    upload.finish(new).unwrap()
}

pub(crate) fn put_run(store: &dyn Store, command: &str, raw: &[u8], ending: Ending) -> Entry {
    let mut new = new_entry(EntryKind::Run, command);
    new.detail = NewDetail::Run(RunRecord {
        ending,
        duration: std::time::Duration::from_millis(41),
        cwd: "/project".to_owned(),
        spans: Spans::default(),
    });
    put(store, new, raw)
}

pub(crate) fn put_note(store: &dyn Store, text: &str, note: NewNote) -> Entry {
    let mut new = new_entry(EntryKind::Note, text);
    new.detail = NewDetail::Note(note);
    put(store, new, text.as_bytes())
}

pub(crate) fn decision(topic: Option<&str>) -> NewNote {
    NewNote {
        kind: NoteKind::Decision,
        topic: topic.map(str::to_owned),
        supersedes: None,
        links: Vec::new(),
        pinned: false,
        personal: false,
        author: String::new(),
    }
}

pub(crate) fn raw_of(store: &dyn Store, reference: Reference) -> Result<Vec<u8>, StoreError> {
    let mut raw = Vec::new();
    store.read(reference, 0, &mut |piece| {
        raw.extend_from_slice(piece);
        true
    })?;
    Ok(raw)
}

pub(crate) fn query(text: &str) -> IndexQuery {
    IndexQuery {
        words: forebay_text::words::significant(text, 64),
        limit: 10,
        ..IndexQuery::default()
    }
}

/// Returns the hits of a query.
pub(crate) fn hits(store: &dyn Store, query: &IndexQuery) -> Vec<Hit> {
    let candidates = store.candidates(query).unwrap();
    store.load_hits(&candidates).unwrap().into_iter().flatten().collect()
}

pub(crate) fn found(store: &dyn Store, text: &str) -> Vec<Reference> {
    hits(store, &query(text)).into_iter().map(|hit| hit.reference).collect()
}
