//! A transcript is read once: its entries and how far it is read are stored together or not at all.

use forebay_domain::EntryKind;
use forebay_store::{HistoryPage, Import, ImportPosition, ImportStep, Store};

use crate::engine::{chunks_of, hits, new_entry, on_every_engine, query, raw_of};

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
fn a_step_is_stored_with_its_entries() {
    on_every_engine(|store| {
        assert_eq!(store.imported("host:file").unwrap(), None);
        let long = "a long line of a long result\n".repeat(10_000);
        assert!(store.import(&[turn("the heron waits"), turn(&long)], &step(0, 70)).unwrap());
        let known = ImportPosition { position: 70, mark: "first line".to_owned() };
        assert_eq!(store.imported("host:file").unwrap(), Some(known));
        assert_eq!(store.imported("host:other").unwrap(), None);
        let found = hits(store, &query("heron"));
        assert_eq!(raw_of(store, found[0].reference).unwrap(), b"the heron waits");
        let newest =
            &store.history(&HistoryPage { limit: 1, ..HistoryPage::default() }).unwrap()[0];
        assert_eq!((newest.bytes, newest.lines), (long.len() as u64, 10_000));
        assert_eq!(raw_of(store, newest.reference).unwrap(), long.as_bytes());
    });
}

#[test]
fn a_step_that_another_process_took_stores_nothing() {
    on_every_engine(|store| {
        assert!(store.import(&[turn("first")], &step(0, 70)).unwrap());
        assert!(!store.import(&[turn("first again")], &step(0, 90)).unwrap());
        assert_eq!(entries(store), 1);
        assert!(store.import(&[turn("second")], &step(70, 90)).unwrap());
        assert_eq!(entries(store), 2);
    });
}

#[test]
fn another_transcript_of_the_same_name_begins_anew() {
    on_every_engine(|store| {
        store.import(&[turn("first")], &step(0, 70)).unwrap();
        let other = ImportStep { mark: "another first line".to_owned(), ..step(0, 20) };
        assert!(store.import(&[turn("other")], &other).unwrap());
        assert_eq!(store.imported("host:file").unwrap().unwrap().position, 20);
    });
}
