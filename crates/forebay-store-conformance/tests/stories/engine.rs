//! The engines the stories run on, and short ways to fill a store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use forebay_domain::{
    Ending, Entry, EntryKind, Hit, NoteKind, Reference, RunRecord, Spans, Timestamp,
};
use forebay_store::{IndexQuery, NewChunk, NewDetail, NewEntry, NewNote, Store, StoreError};
use forebay_store_postgres::{Address, PostgresStore};
use forebay_store_sqlite::SqliteStore;
use forebay_text::chunk::Chunker;

/// Runs a story on every engine; each gets an empty store.
pub(crate) fn on_every_engine(story: impl Fn(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(&folder.path().join("sqlite/store.db")).unwrap();
    story(&sqlite);
    on_postgres(|address| story(&PostgresStore::open(address, "project").unwrap()));
}

/// Runs a story on a PostgreSQL server, in a workspace of its own.
///
/// `cargo xtask test` starts one; without a server the test is reported as skipped.
pub(crate) fn on_postgres(story: impl Fn(&Address)) {
    let Ok(server) = std::env::var("FOREBAY_TEST_POSTGRES") else {
        return forebay_test_support::skip("FOREBAY_TEST_POSTGRES is not set");
    };
    story(&Address::read(&server, &unused_name()).unwrap());
}

/// A name that nothing on the server has.
pub(crate) fn unused_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("story_{}_{}_{count}", std::process::id(), since.as_nanos())
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
        chunks_are_complete: true,
        replaces_source: false,
    }
}

pub(crate) fn chunks_of(title: &str, raw: &[u8]) -> Vec<NewChunk> {
    let mut chunks = Vec::new();
    let mut emit = |passage: forebay_text::chunk::Chunk| {
        chunks.push(NewChunk {
            start: passage.start,
            bytes: passage.bytes.len() as u64,
            lines: passage.lines,
            title: title.to_owned(),
            text: String::from_utf8_lossy(&passage.bytes).into_owned(),
            key: None,
            created: None,
            around: String::new(),
            meaning: None,
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

/// What a store finds, as far as it is not replaced.
pub(crate) fn hits(store: &dyn Store, query: &IndexQuery) -> Vec<Hit> {
    let candidates = store.candidates(query).unwrap();
    store.hits(&candidates).unwrap().into_iter().flatten().collect()
}

pub(crate) fn found(store: &dyn Store, text: &str) -> Vec<Reference> {
    hits(store, &query(text)).into_iter().map(|hit| hit.reference).collect()
}
