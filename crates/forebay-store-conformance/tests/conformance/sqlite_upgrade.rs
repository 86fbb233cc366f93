//! A store written by release 0.1.0 opens, reads and searches as before.
//!
//! `fixtures/README.md` describes how it was made.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use forebay_domain::{EntryKind, EventKind, Reference};
use forebay_store::prelude::*;
use forebay_store::{Embedding, EventPage, IndexQuery, NotePage, StoreError};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{decision, found, hits, put_note, query, raw_of};

const RUN: &str = "to5feivcm7";
const CODE: &str = "1l5az2ffai";
const GUIDE: &str = "6sk2cqez7n";
const SUPERSEDED_DECISION: &str = "8279dpx11t";
const DECISION: &str = "1fd0aillr9";
const FINDING: &str = "1v1dc21g7j";
const FIRST_TURN: &str = "81rt3rflx6";
const SECOND_TURN: &str = "bk7y6rw4au";

const GUIDE_TEXT: &str = "\
# Configuration guide

The service reads its configuration from `settings.toml`. A missing file is not an error.

## Migration

Run the migration before the first start. It creates the tables and never deletes data.
Backups are written to the folder `backups`, next to the database.
The migration also compresses old logs.
Restart the service after each migration.
";

/// A copy of the old database in a folder of its own.
struct OldStore {
    path: PathBuf,
    store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl OldStore {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store-0.1.db.zst");
        let mut archive = forebay_store::read_archive(File::open(fixture).unwrap()).unwrap();
        io::copy(&mut archive, &mut File::create(&path).unwrap()).unwrap();
        Self { store: SqliteStore::open(&path).unwrap(), path, _folder: folder }
    }

    /// Returns the stored embedding of the only chunk of an entry.
    fn embedding(&self, entry: &str) -> Embedding {
        let database = rusqlite::Connection::open(&self.path).unwrap();
        let sql = "SELECT model.name, vector FROM meaning JOIN model ON model.id = meaning.model
                   JOIN chunk ON chunk.id = meaning.chunk JOIN entry ON entry.id = chunk.entry
                   WHERE entry.ref = ?1";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?));
        let (model, vector) = database.query_row(sql, [entry], read).unwrap();
        Embedding { model: model.into(), vector }
    }
}

fn reference(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

#[test]
fn opens_without_problems() {
    let health = OldStore::open().store.health().unwrap();
    assert_eq!(health.problems, Vec::<String>::new());
    assert!(health.schema >= 11);
}

#[test]
fn reads_entries_byte_for_byte() {
    let old = OldStore::open();
    let store = &old.store;
    let mut output: String = (1..=400).map(|case| format!("test case_{case} ... ok\n")).collect();
    output.push_str("test walrus_migration ... FAILED\nerror: the walrus tusk is missing\n");
    assert_eq!(raw_of(store, reference(RUN)).unwrap(), output.as_bytes());
    assert_eq!(raw_of(store, reference(GUIDE)).unwrap(), GUIDE_TEXT.as_bytes());
    let run = store.entry(reference(RUN)).unwrap();
    assert_eq!((run.kind, run.lines, run.session.as_str()), (EntryKind::Run, 402, "session-1"));
    let start = store.line_start(reference(RUN), 402).unwrap() as usize;
    assert!(output[start..].starts_with("error: the walrus"));
}

#[test]
fn explains_replaced_entries() {
    let old = OldStore::open();
    let database = rusqlite::Connection::open(&old.path).unwrap();
    let sql = "SELECT ref FROM gone LIMIT 1";
    let replaced: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    let error = old.store.entry(reference(&replaced)).unwrap_err();
    assert!(matches!(error, StoreError::Gone { .. }), "{error}");
}

#[test]
fn finds_words_phrases_and_parts_of_identifiers() {
    let old = OldStore::open();
    let store = &old.store;
    assert_eq!(found(store, "tusk")[0], reference(RUN));
    assert_eq!(found(store, "creme brulee"), [reference(FINDING)]);
    assert_eq!(found(store, "response"), [reference(CODE)]);
    let phrase = IndexQuery { phrases: vec!["next to the database".into()], ..query("") };
    let hits = hits(store, &phrase);
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].reference, &*hits[0].text), (reference(GUIDE), GUIDE_TEXT));
}

#[test]
fn finds_turns_by_their_context() {
    let old = OldStore::open();
    let store = &old.store;
    let turns = found(store, "linker");
    assert_eq!(turns[0], reference(FIRST_TURN));
    assert!(turns.contains(&reference(SECOND_TURN)));
}

#[test]
fn does_not_find_deleted_chunks() {
    let old = OldStore::open();
    let store = &old.store;
    assert!(found(store, "appears").is_empty());
    assert_eq!(store.unknown_words(&["appears".into(), "tusk".into()]).unwrap(), ["appears"]);
}

#[test]
fn corrects_typos_and_finds_substrings() {
    let old = OldStore::open();
    let store = &old.store;
    let similar = |word: &str| -> Vec<(String, usize)> {
        let words = store.similar_words(word).unwrap();
        words.into_iter().map(|similar| (similar.word, similar.edits)).collect()
    };
    assert_eq!(similar("migratoin"), [("migration".to_owned(), 1)]);
    assert_eq!(similar("figurat"), [("configuration".to_owned(), 0)]);
    assert!(similar("appears").is_empty());
}

#[test]
fn finds_by_embedding() {
    let old = OldStore::open();
    for entry in [GUIDE, CODE, DECISION] {
        let embedding = Some(old.embedding(entry));
        let hits = hits(&old.store, &IndexQuery { embedding, limit: 3, ..IndexQuery::default() });
        let best = hits.iter().max_by(|a, b| a.similarity.total_cmp(&b.similarity)).unwrap();
        assert_eq!(best.reference, reference(entry));
        assert!(best.similarity > 0.99, "{}", best.similarity);
    }
}

#[test]
fn lists_notes_and_events() {
    let old = OldStore::open();
    let store = &old.store;
    let notes = |pinned| {
        let page = NotePage { pinned, limit: 10, ..NotePage::default() };
        let notes = store.notes(&page).unwrap();
        notes.into_iter().map(|note| note.reference).collect::<Vec<_>>()
    };
    assert_eq!(notes(None), [reference(FINDING), reference(DECISION)]);
    assert_eq!(notes(Some(true)), [reference(FINDING)]);
    let superseded = store.notes_superseded_by(reference(DECISION)).unwrap();
    assert_eq!(superseded, [reference(SUPERSEDED_DECISION)]);

    let events = store.events(&EventPage { limit: 10, ..EventPage::default() }).unwrap();
    let prompts = events.iter().filter(|event| event.event.kind == EventKind::Prompt);
    let prompts: Vec<&str> = prompts.map(|event| event.event.text.as_str()).collect();
    assert_eq!(prompts, ["Please fix the walrus migration"]);
    assert!(events.iter().any(|event| event.event.subject == "src/parser.rs"));
}

#[test]
fn lists_sources_and_import_positions() {
    let old = OldStore::open();
    let store = &old.store;
    let sources = store.sources().unwrap();
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["docs", "src"]);
    let position = store.import_position(concat!("claude-code:/srv/ho", "me/t.jsonl")).unwrap();
    assert!(position.is_some_and(|position| position.position > 0));
}

#[test]
fn merges_old_segments_with_new_ones() {
    let old = OldStore::open();
    let store = &old.store;
    for number in 0..40 {
        put_note(store, &format!("walrus number {number}"), decision(None));
    }
    store.maintain().unwrap();
    let all = IndexQuery { limit: 100, ..query("walrus") };
    let entries: Vec<Reference> = hits(store, &all).iter().map(|hit| hit.reference).collect();
    assert!(entries.contains(&reference(RUN)) && entries.len() >= 41);
    assert!(found(store, "appears").is_empty());
    assert_eq!(found(store, "brulee"), [reference(FINDING)]);
}
