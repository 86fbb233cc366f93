//! Caches of a SQLite store stay correct while other processes write.

use forebay_domain::{Ending, EntryKind, Hit, Reference};
use forebay_store::prelude::*;
use forebay_store::{IndexQuery, NewNote, PurgeSelection};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{NOW, decision, found, hits, new_entry, put, put_note, put_run, query};

/// Enough queries to fill every cache.
const REPEATED_QUERIES: usize = 6;

/// A reader and a writer, as in two processes.
struct ReaderAndWriter {
    reader: SqliteStore,
    writer: SqliteStore,
    _folder: tempfile::TempDir,
}

impl ReaderAndWriter {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = || SqliteStore::open(&folder.path().join("sqlite/store.db")).unwrap();
        Self { reader: open(), writer: open(), _folder: folder }
    }

    fn purge(&self, reference: Reference) {
        let selection = PurgeSelection { references: vec![reference], ..PurgeSelection::default() };
        self.writer.purge(&selection, NOW).unwrap();
    }

    /// Returns the hits for a word, after repeated queries.
    fn hits_for(&self, word: &str) -> Vec<(Reference, String, String)> {
        let ask = || hits(&self.reader, &query(word));
        for _ in 0..REPEATED_QUERIES {
            ask();
        }
        let hits_for = |hit: Hit| (hit.reference, hit.title.to_string(), hit.text.to_string());
        ask().into_iter().map(hits_for).collect()
    }
}

#[test]
fn a_chunk_with_a_reused_id_is_not_served_from_the_cache() {
    let stores = ReaderAndWriter::open();
    let first = put_run(&stores.writer, "one", b"a needle in the hay", Ending::Exited(0)).reference;
    assert_eq!(stores.hits_for("needle"), [(first, "one".into(), "a needle in the hay".into())]);
    stores.purge(first);
    assert_eq!(stores.hits_for("needle"), []);
    let second = put_run(&stores.writer, "two", b"another needle", Ending::Exited(0)).reference;
    assert_eq!(stores.hits_for("needle"), [(second, "two".into(), "another needle".into())]);
}

#[test]
fn a_note_superseded_by_another_process_is_not_found() {
    let stores = ReaderAndWriter::open();
    let old = put_note(&stores.writer, "needles are blunt", decision(None)).reference;
    assert_eq!(stores.hits_for("needles").len(), 1);
    let newer = NewNote { supersedes: Some(old), ..decision(None) };
    let new = put_note(&stores.writer, "needles are sharp", newer).reference;
    let hits_for: Vec<Reference> =
        stores.hits_for("needles").into_iter().map(|(one, ..)| one).collect();
    assert_eq!(hits_for, [new]);
    let hit = hits(&stores.reader, &query("needles")).remove(0);
    assert_eq!(hit.supersedes, Some(old));
}

#[test]
fn a_source_reindexed_by_another_process_is_up_to_date() {
    let stores = ReaderAndWriter::open();
    let index = |text: &str| {
        let mut new = new_entry(EntryKind::Source, "guide");
        (new.source, new.replaces_source) = ("guide".to_owned(), true);
        put(&stores.writer, new, text.as_bytes()).reference
    };
    for text in ["the needle is long", "the needle is short", "needle"] {
        let reference = index(text);
        assert_eq!(stores.hits_for("needle"), [(reference, "guide".into(), text.into())]);
    }
}

#[test]
fn finds_notes_among_many_other_chunks() {
    let stores = ReaderAndWriter::open();
    let notes = |word: &str| {
        let query = IndexQuery { kinds: vec![EntryKind::Note], ..query(word) };
        let ask = || hits(&stores.reader, &query);
        for _ in 0..REPEATED_QUERIES {
            ask();
        }
        ask().into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
    };
    let many = "a needle is in this line, and in all of them\n".repeat(20_000);
    put_run(&stores.writer, "many", many.as_bytes(), Ending::Exited(0));
    assert_eq!(notes("needle"), []);
    let note = put_note(&stores.writer, "a needle that was noted", decision(None)).reference;
    assert_eq!(notes("needle"), [note]);
    // Until all of them are in one segment.
    for number in 0..600 {
        put_run(&stores.writer, "few", format!("needle {number}").as_bytes(), Ending::Exited(0));
    }
    stores.writer.maintain().unwrap();
    assert_eq!(notes("needle"), [note]);
    assert!(!found(&stores.reader, "needle").is_empty());
}
