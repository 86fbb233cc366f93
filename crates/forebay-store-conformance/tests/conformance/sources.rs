//! Sources are written invisibly, replaced in one transaction, and deleted with their entries.

use forebay_domain::{EntryKind, Reference};
use forebay_store::{
    EncodedBlob, FileStamp, Freshness, HashedContent, NewSource, NewSourceItem, PurgeSelection,
    ReindexReport, SourceKind, Store, StoreError, UnlistedItems, fingerprint,
};

use crate::engine::{NOW, chunks_of, for_each_engine, found, new_entry, raw_of};

fn item(path: &str, text: &str) -> NewSourceItem {
    let mut entry = new_entry(EntryKind::Source, path);
    entry.source = format!("docs/{path}");
    NewSourceItem {
        path: path.to_owned(),
        stamp: FileStamp { modified: 7, size: text.len() as u64 },
        hash: fingerprint(&[text.as_bytes()]),
        entry,
        raw: EncodedBlob::encode(HashedContent::new(text.as_bytes())).unwrap(),
        chunks: chunks_of(path, text.as_bytes()),
    }
}

fn folder() -> NewSource {
    NewSource {
        name: "docs".to_owned(),
        kind: SourceKind::Folder,
        path: "/project/docs".to_owned(),
        options: String::new(),
        at: NOW,
        freshness: Freshness::default(),
    }
}

fn index(
    store: &dyn Store,
    items: &[(impl AsRef<str>, impl AsRef<str>)],
    kept: &[&str],
) -> ReindexReport {
    let mut reindex = store.reindex().unwrap();
    for (path, text) in items {
        reindex.add(item(path.as_ref(), text.as_ref())).unwrap();
    }
    for path in kept {
        reindex.keep_unchanged(path, FileStamp { modified: 8, size: 1 });
    }
    reindex.finish(&folder(), UnlistedItems::Remove).unwrap()
}

fn reference_of(reindexed: &ReindexReport, path: &str) -> Reference {
    reindexed.added.iter().find(|(added, _)| added == path).unwrap().1
}

#[test]
fn a_source_is_invisible_until_finished() {
    for_each_engine(|store| {
        let mut reindex = store.reindex().unwrap();
        // Too many words to keep in memory: some are written before the source is finished.
        let large = "walrus a b c d e f g h i j\n".repeat(200_000);
        reindex.add(item("a.md", &large)).unwrap();
        assert!(found(store, "walrus").is_empty());
        drop(reindex);
        assert_eq!(store.stats().unwrap().chunks, 0);
        assert!(store.sources().unwrap().is_empty());
    });
}

#[test]
fn indexed_items_are_found_and_read() {
    for_each_engine(|store| {
        let text = "one walrus\n".repeat(30_000);
        let done = index(store, &[("a.md", &text)], &[]);
        let reference = reference_of(&done, "a.md");
        assert_eq!(raw_of(store, reference).unwrap(), text.as_bytes());
        let entry = store.entry(reference).unwrap();
        assert_eq!((entry.bytes, entry.lines), (text.len() as u64, 30_000));
        assert!(found(store, "walrus").contains(&reference));
        let line = store.line_start(reference, 29_999).unwrap();
        assert_eq!(line, 29_998 * "one walrus\n".len() as u64);
    });
}

#[test]
fn finds_all_items_of_a_large_source() {
    for_each_engine(|store| {
        // More than one write transaction has.
        let texts: Vec<(String, String)> = (0..1_100)
            .map(|number| (format!("{number}.md"), format!("walrus number{number}\n")))
            .collect();
        let done = index(store, &texts, &[]);
        assert_eq!(done.added.len(), texts.len());
        for number in [0, 1_023, 1_024, 1_099] {
            let reference = reference_of(&done, &format!("{number}.md"));
            assert_eq!(found(store, &format!("number{number}")), [reference], "{number}");
            assert_eq!(store.entry(reference).unwrap().title, format!("{number}.md"));
        }
        let after = index(store, &texts[..1], &[]);
        assert_eq!((after.replaced, after.removed), (1, 1_099));
        assert!(found(store, "number1099").is_empty());
    });
}

#[test]
fn items_with_equal_content_are_each_readable() {
    for_each_engine(|store| {
        index(store, &[("before.md", "walrus 3\n")], &[]);
        // Equal content within one write transaction, and across several.
        let texts: Vec<(String, String)> = (0..50)
            .map(|number| (format!("{number}.md"), format!("walrus {}\n", number % 20 / 2)))
            .collect();
        let done = index(store, &texts, &[]);
        for (path, text) in &texts {
            let reference = reference_of(&done, path);
            assert_eq!(raw_of(store, reference).unwrap(), text.as_bytes(), "{path}");
            assert_eq!(store.entry(reference).unwrap().bytes, text.len() as u64, "{path}");
        }
    });
}

#[test]
fn reindexing_replaces_keeps_and_removes_items() {
    for_each_engine(|store| {
        let first =
            index(store, &[("a.md", "walrus"), ("b.md", "ostrich"), ("c.md", "beaver")], &[]);
        let second = index(store, &[("a.md", "pelican")], &["c.md"]);
        assert_eq!((second.added.len(), second.replaced, second.removed), (1, 1, 1));
        for (word, path) in [("walrus", "a.md"), ("ostrich", "b.md")] {
            assert!(found(store, word).is_empty(), "{word}");
            let gone = store.entry(reference_of(&first, path));
            assert!(matches!(gone, Err(StoreError::Gone { .. })), "{gone:?}");
        }
        assert_eq!(found(store, "beaver"), [reference_of(&first, "c.md")]);
        let kept = store.source_items("docs").unwrap();
        assert_eq!(kept[1].stamp, FileStamp { modified: 8, size: 1 });
    });
}

#[test]
fn a_partial_reindex_keeps_other_items() {
    for_each_engine(|store| {
        index(store, &[("a.md", "walrus"), ("b.md", "ostrich"), ("c.md", "beaver")], &[]);
        let mut reindex = store.reindex().unwrap();
        reindex.add(item("a.md", "pelican")).unwrap();
        reindex.remove("b.md");
        let done = reindex.finish(&folder(), UnlistedItems::Keep).unwrap();
        assert_eq!((done.replaced, done.removed), (1, 1));
        assert!(found(store, "ostrich").is_empty());
        assert_eq!(found(store, "beaver").len(), 1);
    });
}

#[test]
fn a_source_without_items_is_deleted() {
    for_each_engine(|store| {
        let done = index(store, &[("a.md", "walrus")], &[]);
        assert_eq!(store.sources().unwrap()[0].entries, 1);
        let references = vec![reference_of(&done, "a.md")];
        store.purge(&PurgeSelection { references, ..PurgeSelection::default() }, NOW).unwrap();
        assert!(store.sources().unwrap().is_empty());
    });
}
