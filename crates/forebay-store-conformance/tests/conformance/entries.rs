//! Stored entries are read back completely.

use forebay_domain::{Ending, EntryKind, Limit, Reference};
use forebay_store::{HistoryPage, StoreError};

use crate::engine::{for_each_engine, new_entry, put, put_run, raw_of};

#[test]
fn raw_bytes_are_read_back_unchanged() {
    for_each_engine(|store| {
        let raw: Vec<u8> = (0..=255).cycle().take(1_000_003).collect();
        let entry = put(store, new_entry(EntryKind::Run, "binary"), &raw);
        assert_eq!(raw_of(store, entry.reference).unwrap(), raw);
        assert_eq!(entry.bytes, raw.len() as u64);
    });
}

#[test]
fn the_digest_that_was_delivered_replaces_the_stored_one() {
    for_each_engine(|store| {
        let entry = put(store, new_entry(EntryKind::Run, "seq 9"), b"1\n2\n");
        let other = put(store, new_entry(EntryKind::Run, "seq 8"), b"1\n");
        assert!(store.replace_digest(entry.reference, "longer").unwrap());
        assert_eq!(store.entry(entry.reference).unwrap().digest, "longer");
        assert_eq!(store.entry(other.reference).unwrap(), other);
        let absent = Reference::parse("zzzzzzzzzz").unwrap();
        assert!(!store.replace_digest(absent, "longer").unwrap());
    });
}

#[test]
fn stores_an_empty_output() {
    for_each_engine(|store| {
        let entry = put_run(store, "true", b"", Ending::Exited(0));
        assert_eq!((entry.bytes, entry.lines), (0, 0));
        assert_eq!(raw_of(store, entry.reference).unwrap(), b"");
    });
}

#[test]
fn keeps_every_detail_of_a_run() {
    for_each_engine(|store| {
        for ending in [
            Ending::Exited(101),
            Ending::Signalled(9),
            Ending::TimedOut,
            Ending::Cancelled,
            Ending::OverLimit(Limit::Output),
            Ending::OverLimit(Limit::Processes),
        ] {
            let stored = put_run(store, "cargo test", b"one\ntwo", ending);
            let read = store.entry(stored.reference).unwrap();
            assert_eq!(read, stored);
            assert_eq!(read.run().unwrap().ending, ending);
            assert_eq!(read.lines, 2);
        }
    });
}

#[test]
fn finds_lines_without_reading_from_the_start() {
    for_each_engine(|store| {
        let mut raw = Vec::new();
        let mut starts = Vec::new();
        for line in 0..60_000_u32 {
            starts.push(raw.len() as u64);
            raw.extend_from_slice(
                format!("line {line} {}\n", "x".repeat(line as usize % 90)).as_bytes(),
            );
        }
        let entry = put(store, new_entry(EntryKind::Run, "many lines"), &raw);
        assert_eq!(entry.lines, 60_000);
        for line in [1, 2, 777, 30_000, 59_999, 60_000] {
            assert_eq!(
                store.line_start(entry.reference, line).unwrap(),
                starts[line as usize - 1],
                "line {line}"
            );
        }
        assert_eq!(store.line_start(entry.reference, 60_001).unwrap(), raw.len() as u64);
        assert_eq!(store.line_start(entry.reference, 99_999).unwrap(), raw.len() as u64);
    });
}

#[test]
fn a_line_longer_than_a_part_has_one_start() {
    for_each_engine(|store| {
        let raw = [b"a\n".as_slice(), &vec![b'x'; 400_000], b"\nlast\n"].concat();
        let entry = put(store, new_entry(EntryKind::Run, "long line"), &raw);
        assert_eq!(entry.lines, 3);
        assert_eq!(store.line_start(entry.reference, 2).unwrap(), 2);
        assert_eq!(store.line_start(entry.reference, 3).unwrap(), 400_003);
    });
}

#[test]
fn stores_equal_content_once() {
    for_each_engine(|store| {
        let raw = vec![b'z'; 3_000_000];
        let first = put(store, new_entry(EntryKind::Run, "first"), &raw);
        let before = store.stats().unwrap().disk_bytes;
        let second = put(store, new_entry(EntryKind::Run, "second"), &raw);
        assert_ne!(first.reference, second.reference);
        assert_eq!(raw_of(store, second.reference).unwrap(), raw);
        assert_eq!(store.stats().unwrap().raw_bytes, 6_000_000);
        assert!(store.stats().unwrap().disk_bytes < before + 3_000_000);
    });
}

#[test]
fn an_abandoned_upload_leaves_nothing() {
    for_each_engine(|store| {
        let mut upload = store.upload().unwrap();
        for number in 0..40_u8 {
            upload.write(&vec![number; 100_000]).unwrap();
        }
        drop(upload);
        assert_eq!(store.stats().unwrap().raw_bytes, 0);
        assert!(
            store.history(&HistoryPage { limit: 10, ..HistoryPage::default() }).unwrap().is_empty()
        );
    });
}

#[test]
fn an_unused_reference_is_not_found() {
    for_each_engine(|store| {
        let stranger = Reference::parse("[ctx:aaaaaaaaaa]").unwrap();
        let error = store.entry(stranger).unwrap_err();
        assert!(matches!(error, StoreError::NotFound(_)));
        assert!(error.hint().is_some());
        assert!(matches!(raw_of(store, stranger), Err(StoreError::NotFound(_))));
    });
}

#[test]
fn history_is_newest_first_and_pages_without_gaps() {
    for_each_engine(|store| {
        let made: Vec<_> = (0..25)
            .map(|number| {
                put_run(store, &format!("run {number}"), b"out", Ending::Exited(0)).reference
            })
            .collect();
        let mut seen = Vec::new();
        let mut before = None;
        loop {
            let page = HistoryPage {
                session: Some("session-1".into()),
                before,
                limit: 10,
                ..HistoryPage::default()
            };
            let entries = store.history(&page).unwrap();
            let Some(last) = entries.last() else { break };
            before = Some(last.sequence);
            seen.extend(entries.into_iter().map(|entry| entry.reference));
        }
        seen.reverse();
        assert_eq!(seen, made);
    });
}

#[test]
fn order_does_not_depend_on_the_clock() {
    for_each_engine(|store| {
        let mut later = new_entry(EntryKind::Run, "made first, clock ahead");
        later.created.0 += 10_000_000;
        let first = put(store, later, b"1").reference;
        let second = put(store, new_entry(EntryKind::Run, "made second"), b"2").reference;
        let page = HistoryPage { limit: 10, ..HistoryPage::default() };
        let order: Vec<_> =
            store.history(&page).unwrap().into_iter().map(|entry| entry.reference).collect();
        assert_eq!(order, [second, first]);
    });
}
