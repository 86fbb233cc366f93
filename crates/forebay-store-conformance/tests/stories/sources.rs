//! Sources: written unseen, put in place of the old in one moment, forgotten with their entries.

use forebay_domain::{EntryKind, Reference};
use forebay_store::{
    EncodedBlob, FileStamp, Freshness, HashedContent, NewSource, NewSourceItem, PurgeSelection,
    ReindexReport, SourceKind, Store, StoreError, UnlistedItems, fingerprint,
};

use crate::engine::{NOW, chunks_of, found, new_entry, on_every_engine, raw_of};

fn item(path: &str, text: &str) -> NewSourceItem {
    let mut entry = new_entry(EntryKind::Source, path);
    entry.source = format!("docs/{path}");
    NewSourceItem {
        path: path.to_owned(),
        stamp: FileStamp { modified: 7, size: text.len() as u64 },
        hash: fingerprint(&[text.as_bytes()]),
        entry,
        raw: EncodedBlob::of(HashedContent::of(text.as_bytes())).unwrap(),
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
        reindex.keep(path, FileStamp { modified: 8, size: 1 });
    }
    reindex.finish(&folder(), UnlistedItems::Go).unwrap()
}

fn reference_of(reindexed: &ReindexReport, path: &str) -> Reference {
    reindexed.added.iter().find(|(added, _)| added == path).unwrap().1
}

#[test]
fn a_source_is_unseen_until_it_is_finished() {
    on_every_engine(|store| {
        let mut reindex = store.reindex().unwrap();
        // Too many words to be held in memory: some of them are written before the source is whole.
        let large = "walrus a b c d e f g h i j\n".repeat(200_000);
        reindex.add(item("a.md", &large)).unwrap();
        assert!(found(store, "walrus").is_empty());
        drop(reindex);
        assert_eq!(store.facts().unwrap().chunks, 0);
        assert!(store.sources().unwrap().is_empty());
    });
}

#[test]
fn what_was_indexed_is_found_and_read() {
    on_every_engine(|store| {
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
fn a_source_of_many_items_is_found_whole() {
    on_every_engine(|store| {
        // More than are written at once.
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
        assert_eq!((after.replaced, after.gone), (1, 1_099));
        assert!(found(store, "number1099").is_empty());
    });
}

#[test]
fn items_with_one_content_are_each_read_whole() {
    on_every_engine(|store| {
        index(store, &[("before.md", "walrus 3\n")], &[]);
        // The same text again among those that are written together, and further off.
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
fn indexing_again_replaces_keeps_and_drops() {
    on_every_engine(|store| {
        let first =
            index(store, &[("a.md", "walrus"), ("b.md", "ostrich"), ("c.md", "beaver")], &[]);
        let second = index(store, &[("a.md", "pelican")], &["c.md"]);
        assert_eq!((second.added.len(), second.replaced, second.gone), (1, 1, 1));
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
fn some_items_change_while_the_others_stay() {
    on_every_engine(|store| {
        index(store, &[("a.md", "walrus"), ("b.md", "ostrich"), ("c.md", "beaver")], &[]);
        let mut reindex = store.reindex().unwrap();
        reindex.add(item("a.md", "pelican")).unwrap();
        reindex.remove("b.md");
        let done = reindex.finish(&folder(), UnlistedItems::Stay).unwrap();
        assert_eq!((done.replaced, done.gone), (1, 1));
        assert!(found(store, "ostrich").is_empty());
        assert_eq!(found(store, "beaver").len(), 1);
    });
}

#[test]
fn a_source_with_nothing_left_is_none() {
    on_every_engine(|store| {
        let done = index(store, &[("a.md", "walrus")], &[]);
        assert_eq!(store.sources().unwrap()[0].entries, 1);
        let references = vec![reference_of(&done, "a.md")];
        store.purge(&PurgeSelection { references, ..PurgeSelection::default() }, NOW).unwrap();
        assert!(store.sources().unwrap().is_empty());
    });
}
