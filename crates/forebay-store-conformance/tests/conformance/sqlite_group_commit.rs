//! Entries written by concurrent threads share a commit; none is lost or acknowledged too early.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use forebay_domain::{Entry, EntryKind, Reference};
use forebay_store::prelude::*;
use forebay_store::{NewDetail, StoreError};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{chunks_of, decision, found, new_entry, raw_of};

const WRITERS: usize = 24;

/// Blocks all writers by another process first, so that they end up in one group.
fn concurrently<T: Send>(path: &Path, write: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let other = rusqlite::Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        let write = &write;
        let threads: Vec<_> =
            (0..WRITERS).map(|number| scope.spawn(move || write(number))).collect();
        wait();
        other.execute_batch("COMMIT").unwrap();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[allow(clippy::disallowed_methods, reason = "nothing tells that all threads wait")]
fn wait() {
    thread::sleep(Duration::from_millis(200));
}

fn note(store: &SqliteStore, text: &str, topic: Option<&str>) -> Result<Entry, StoreError> {
    let mut new = new_entry(EntryKind::Note, text);
    new.detail = NewDetail::Note(decision(topic));
    let mut upload = store.upload()?;
    upload.write(text.as_bytes())?;
    for chunk in chunks_of(text, text.as_bytes()) {
        upload.chunk(chunk)?;
    }
    upload.finish(new)
}

fn open() -> (tempfile::TempDir, PathBuf, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sqlite/store.db");
    let store = SqliteStore::open(&path).unwrap();
    (folder, path, store)
}

fn text(number: usize) -> String {
    format!("walrus number{number} is noted")
}

fn segments(path: &Path) -> i64 {
    let count = "SELECT count(*) FROM word_segment";
    rusqlite::Connection::open(path).unwrap().query_row(count, [], |row| row.get(0)).unwrap()
}

#[test]
fn concurrent_notes_are_all_stored_and_found() {
    let (_folder, path, store) = open();
    let written =
        concurrently(&path, |number| note(&store, &text(number), None).unwrap().reference);
    assert_eq!(written.iter().collect::<HashSet<_>>().len(), WRITERS);
    let other = SqliteStore::open(&path).unwrap();
    for (number, reference) in written.iter().enumerate() {
        assert_eq!(raw_of(&other, *reference).unwrap(), text(number).as_bytes());
        assert_eq!(found(&other, &format!("number{number}")), [*reference]);
    }
    assert!(segments(&path) < 8, "{} segments were written together", segments(&path));
}

#[test]
fn one_of_concurrent_notes_on_a_topic_is_active() {
    let (_folder, path, store) = open();
    concurrently(&path, |number| note(&store, &text(number), Some("walruses")).unwrap());
    let active_notes: Vec<Reference> = found(&store, "walrus");
    assert_eq!(active_notes.len(), 1);
}

#[test]
fn a_failing_entry_does_not_affect_its_group() {
    let (_folder, path, store) = open();
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(
            "CREATE TRIGGER refuse BEFORE INSERT ON note WHEN new.topic = 'refused'
             BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END",
        )
        .unwrap();
    let topic = |number| if number % 8 == 3 { Some("refused") } else { None };
    let written = concurrently(&path, |number| note(&store, &text(number), topic(number)));
    for (number, written) in written.into_iter().enumerate() {
        let word = format!("number{number}");
        match written {
            Ok(entry) => assert_eq!(found(&store, &word), [entry.reference]),
            Err(error) => {
                assert!(
                    topic(number).is_some() && error.to_string().contains("trigger"),
                    "{error}"
                );
                assert_eq!(found(&store, &word), []);
            }
        }
    }
    assert_eq!(store.stats().unwrap().entries["note"], WRITERS as u64 * 7 / 8);
}
