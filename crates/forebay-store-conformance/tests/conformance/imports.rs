//! Imports store entries and the transcript's position together or not at all.

use forebay_domain::EntryKind;
use forebay_store::{HistoryPage, Import, ImportPosition, ImportStep, Store};

use crate::engine::{chunks_of, for_each_engine, hits, new_entry, query, raw_of};

fn turn(text: &str) -> Import {
    let chunks = chunks_of("turn", text.as_bytes());
    Import { new: new_entry(EntryKind::Turn, "turn"), raw: text.as_bytes().to_vec(), chunks }
}

fn step(from: u64, to: u64) -> ImportStep {
    ImportStep { transcript: "host:file".to_owned(), mark: "first line".to_owned(), from, to }
}

fn entries(store: &dyn Store) -> usize {
    store.history(&HistoryPage { limit: 100, ..HistoryPage::default() }).unwrap().len()
}

#[test]
fn stores_a_step_with_its_entries() {
    for_each_engine(|store| {
        assert_eq!(store.import_position("host:file").unwrap(), None);
        let long = "a long line of a long result\n".repeat(10_000);
        assert!(store.import(&[turn("the heron waits"), turn(&long)], &step(0, 70)).unwrap());
        let known = ImportPosition { position: 70, mark: "first line".to_owned() };
        assert_eq!(store.import_position("host:file").unwrap(), Some(known));
        assert_eq!(store.import_position("host:other").unwrap(), None);
        let found = hits(store, &query("heron"));
        assert_eq!(raw_of(store, found[0].reference).unwrap(), b"the heron waits");
        let newest =
            &store.history(&HistoryPage { limit: 1, ..HistoryPage::default() }).unwrap()[0];
        assert_eq!((newest.bytes, newest.lines), (long.len() as u64, 10_000));
        assert_eq!(raw_of(store, newest.reference).unwrap(), long.as_bytes());
    });
}

#[test]
fn a_step_done_by_another_process_stores_nothing() {
    for_each_engine(|store| {
        assert!(store.import(&[turn("first")], &step(0, 70)).unwrap());
        assert!(!store.import(&[turn("first again")], &step(0, 90)).unwrap());
        assert_eq!(entries(store), 1);
        assert!(store.import(&[turn("second")], &step(70, 90)).unwrap());
        assert_eq!(entries(store), 2);
    });
}

#[test]
fn another_transcript_of_the_same_name_starts_over() {
    for_each_engine(|store| {
        store.import(&[turn("first")], &step(0, 70)).unwrap();
        let other = ImportStep { mark: "another first line".to_owned(), ..step(0, 20) };
        assert!(store.import(&[turn("other")], &other).unwrap());
        assert_eq!(store.import_position("host:file").unwrap().unwrap().position, 20);
    });
}
