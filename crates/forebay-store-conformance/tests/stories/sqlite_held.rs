//! What a process holds in memory of a SQLite file, while others write it.

use forebay_domain::{Ending, EntryKind, Hit, Reference};
use forebay_store::prelude::*;
use forebay_store::{IndexQuery, NewNote, PurgeSelection};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{NOW, decision, found, hits, new_entry, put, put_note, put_run, query};

/// Who asks this often holds what there is to hold.
const OFTEN: usize = 6;

/// One who asks and one who writes, as two processes do.
struct Two {
    asker: SqliteStore,
    writer: SqliteStore,
    _folder: tempfile::TempDir,
}

impl Two {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = || SqliteStore::open(&folder.path().join("sqlite/store.db")).unwrap();
        Self { asker: open(), writer: open(), _folder: folder }
    }

    fn forget(&self, reference: Reference) {
        let selection = PurgeSelection { references: vec![reference], ..PurgeSelection::default() };
        self.writer.purge(&selection, NOW).unwrap();
    }

    /// What is told of the hits for a word, asked for again and again.
    fn told(&self, word: &str) -> Vec<(Reference, String, String)> {
        let ask = || hits(&self.asker, &query(word));
        for _ in 0..OFTEN {
            ask();
        }
        let told = |hit: Hit| (hit.reference, hit.title.to_string(), hit.text.to_string());
        ask().into_iter().map(told).collect()
    }
}

#[test]
fn a_passage_that_has_the_number_of_a_forgotten_one_is_told_as_it_is() {
    let two = Two::open();
    let first = put_run(&two.writer, "one", b"a needle in the hay", Ending::Exited(0)).reference;
    assert_eq!(two.told("needle"), [(first, "one".into(), "a needle in the hay".into())]);
    two.forget(first);
    assert_eq!(two.told("needle"), []);
    let second = put_run(&two.writer, "two", b"another needle", Ending::Exited(0)).reference;
    assert_eq!(two.told("needle"), [(second, "two".into(), "another needle".into())]);
}

#[test]
fn a_note_that_another_process_replaces_is_told_no_longer() {
    let two = Two::open();
    let old = put_note(&two.writer, "needles are blunt", decision(None)).reference;
    assert_eq!(two.told("needles").len(), 1);
    let newer = NewNote { supersedes: Some(old), ..decision(None) };
    let new = put_note(&two.writer, "needles are sharp", newer).reference;
    let told: Vec<Reference> = two.told("needles").into_iter().map(|(one, ..)| one).collect();
    assert_eq!(told, [new]);
    let hit = hits(&two.asker, &query("needles")).remove(0);
    assert_eq!(hit.supersedes, Some(old));
}

#[test]
fn a_source_that_another_process_indexes_again_is_told_as_it_is_now() {
    let two = Two::open();
    let index = |text: &str| {
        let mut new = new_entry(EntryKind::Source, "guide");
        (new.source, new.replaces_source) = ("guide".to_owned(), true);
        put(&two.writer, new, text.as_bytes()).reference
    };
    for text in ["the needle is long", "the needle is short", "needle"] {
        let reference = index(text);
        assert_eq!(two.told("needle"), [(reference, "guide".into(), text.into())]);
    }
}

#[test]
fn notes_are_found_among_many_passages_that_are_none() {
    let two = Two::open();
    let notes = |word: &str| {
        let query = IndexQuery { kinds: vec![EntryKind::Note], ..query(word) };
        let ask = || hits(&two.asker, &query);
        for _ in 0..OFTEN {
            ask();
        }
        ask().into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
    };
    let many = "a needle stands in this line, and in all of them\n".repeat(20_000);
    put_run(&two.writer, "many", many.as_bytes(), Ending::Exited(0));
    assert_eq!(notes("needle"), []);
    let note = put_note(&two.writer, "a needle that was noted", decision(None)).reference;
    assert_eq!(notes("needle"), [note]);
    // Until all of them are in one segment.
    for number in 0..600 {
        put_run(&two.writer, "few", format!("needle {number}").as_bytes(), Ending::Exited(0));
    }
    two.writer.tidy().unwrap();
    assert_eq!(notes("needle"), [note]);
    assert!(!found(&two.asker, "needle").is_empty());
}
