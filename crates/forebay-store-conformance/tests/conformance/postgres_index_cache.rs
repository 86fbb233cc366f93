//! A PostgreSQL process with a cached index still sees what others add and delete.

use forebay_domain::{EntryKind, Hit, Reference};
use forebay_store::prelude::*;
use forebay_store::{Embedding, IndexQuery, NewChunk, NewEntry, PurgeSelection, ReindexedChunk};
use forebay_store_postgres::{Address, PostgresStore};
use postgres::{Client, NoTls};

use crate::engine::{
    NOW, chunks_of, decision, found, hits, new_entry, on_postgres, put, put_note, query,
};

/// Enough queries to load the index cache.
const REPEATED_QUERIES: usize = 40;

/// A reader and a writer, each with a store of its own.
struct ReaderAndWriter {
    reader: PostgresStore,
    writer: PostgresStore,
}

impl ReaderAndWriter {
    fn open(address: &Address) -> Self {
        let open = || PostgresStore::open(address, "project").unwrap();
        let stores = Self { reader: open(), writer: open() };
        stores.put("the first chunk", [1, 100]);
        for _ in 0..REPEATED_QUERIES {
            stores.by_similarity([100, 10]);
            found(&stores.reader, "needle");
        }
        stores
    }

    fn put(&self, text: &str, vector: [u8; 2]) -> Reference {
        self.put_as(new_entry(EntryKind::Turn, text), text, vector)
    }

    /// Replaces the source stored by an earlier call.
    fn replace(&self, text: &str, vector: [u8; 2]) -> Reference {
        let mut new = new_entry(EntryKind::Source, "guide");
        (new.source, new.replaces_source) = ("guide".to_owned(), true);
        self.put_as(new, text, vector)
    }

    fn put_as(&self, new: NewEntry, text: &str, vector: [u8; 2]) -> Reference {
        let mut chunk = chunks_of(text, text.as_bytes()).remove(0);
        chunk.embedding = Some(embedding(vector));
        let mut upload = self.writer.upload().unwrap();
        upload.write(text.as_bytes()).unwrap();
        upload.chunk(chunk).unwrap();
        upload.finish(new).unwrap().reference
    }

    /// Stores one entry with this many chunks.
    fn put_many(&self, count: usize, text: impl Fn(usize) -> String) -> Reference {
        let raw = b"a line of text\n";
        let chunk = chunks_of("many", raw).remove(0);
        let mut upload = self.writer.upload().unwrap();
        upload.write(raw).unwrap();
        for number in 0..count {
            upload.chunk(NewChunk { text: text(number), ..chunk.clone() }).unwrap();
        }
        upload.finish(new_entry(EntryKind::Turn, "many")).unwrap().reference
    }

    fn purge(&self, reference: Reference) {
        let selection = PurgeSelection { references: vec![reference], ..PurgeSelection::default() };
        self.writer.purge(&selection, NOW).unwrap();
    }

    fn by_word(&self) -> Vec<Reference> {
        found(&self.reader, "needle")
    }

    fn by_similarity(&self, vector: [u8; 2]) -> Vec<Reference> {
        let mut query = query("");
        query.embedding = Some(embedding(vector));
        hits(&self.reader, &query).into_iter().map(|hit| hit.reference).collect()
    }
}

fn embedding(vector: [u8; 2]) -> Embedding {
    Embedding { model: "test".into(), vector: vector.to_vec() }
}

#[test]
fn sees_additions_and_deletions_of_other_processes() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        assert_eq!(stores.by_word(), []);
        assert_eq!(stores.by_similarity([100, 10]), []);
        let one = stores.put("a needle is here", [90, 9]);
        assert_eq!(stores.by_word(), [one]);
        assert_eq!(stores.by_similarity([100, 10]), [one]);
        let other = stores.put("another needle, needle, needle", [80, 16]);
        assert_eq!(stores.by_word(), [other, one], "it has the word more often");
        assert_eq!(
            stores.by_similarity([100, 10]),
            [other, one],
            "the newer first, where words say nothing"
        );
        stores.purge(one);
        assert_eq!(stores.by_word(), [other]);
        assert_eq!(stores.by_similarity([100, 10]), [other]);
    });
}

#[test]
fn a_replaced_source_is_not_found() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let other = stores.put("another needle, far from the guide", [80, 16]);
        for text in ["the needle is long", "the needle is short", "a needle"] {
            let now = stores.replace(text, [90, 9]);
            for _ in 0..3 {
                let by_word = stores.by_word();
                assert!(by_word.len() == 2 && by_word.contains(&now) && by_word.contains(&other));
                assert_eq!(stores.by_similarity([100, 10]), [now, other]);
            }
        }
    });
}

#[test]
fn does_not_miss_chunks_of_a_late_commit() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let late = stores.put("it will have one more chunk", [1, 100]);
        let mut client = Client::connect(&crate::postgres_server::server(), NoTls).unwrap();
        let mut transaction = client.transaction().unwrap();
        let copy = "INSERT INTO forebay.chunk (workspace, project, entry, start, bytes, first_line, last_line,
                title, code, form, length, around_length, words)
            SELECT chunk.workspace, chunk.project, entry, start, bytes, first_line, last_line, chunk.title, code,
                form, length, around_length, format('''%s:needl''', chunk.project)::tsvector
            FROM forebay.chunk JOIN forebay.entry ON entry.workspace = chunk.workspace AND entry.id = chunk.entry
            WHERE entry.ref = $1";
        assert_eq!(transaction.execute(copy, &[&late.as_str()]).unwrap(), 1);
        let meanwhile = stores.put("a needle that is quicker", [90, 9]);
        assert_eq!(stores.by_word(), [meanwhile]);
        assert_eq!(stores.by_word(), [meanwhile], "once, though it is looked for again");
        transaction.commit().unwrap();
        let mut seen = stores.by_word();
        seen.sort_unstable_by_key(Reference::to_string);
        let mut expected = vec![late, meanwhile];
        expected.sort_unstable_by_key(Reference::to_string);
        assert_eq!(seen, expected);
    });
}

#[test]
fn a_reindexed_chunk_is_found_by_its_new_words_only() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let one = stores.put("a needle is here", [90, 9]);
        assert_eq!(stores.by_word(), [one]);
        let mut client = Client::connect(&crate::postgres_server::server(), NoTls).unwrap();
        let outdate = "UPDATE forebay.chunk SET form = 0 FROM forebay.entry
            WHERE entry.workspace = chunk.workspace AND entry.id = chunk.entry AND entry.ref = $1";
        assert_eq!(client.execute(outdate, &[&one.as_str()]).unwrap(), 1);
        let chunk_id = stores.writer.stale_chunks(10).unwrap().remove(0).chunk_id;
        let mut chunk = chunks_of("renewed", b"a haystack is here").remove(0);
        chunk.embedding = Some(embedding([1, 100]));
        stores.writer.reindex_chunks(&[ReindexedChunk { chunk_id, chunk }]).unwrap();
        assert_eq!(stores.by_word(), []);
        assert_eq!(stores.by_similarity([100, 10]), []);
        assert_eq!(found(&stores.reader, "haystack"), [one]);
    });
}

#[test]
fn restored_rows_are_loaded_once() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let restored = stores.put("a needle from another server", [90, 9]);
        let mut client = Client::connect(&crate::postgres_server::server(), NoTls).unwrap();
        let age = "UPDATE forebay.chunk SET written = '18000000000000000000' FROM forebay.entry
            WHERE entry.workspace = chunk.workspace AND entry.id = chunk.entry AND entry.ref = $1";
        assert_eq!(client.execute(age, &[&restored.as_str()]).unwrap(), 1);
        let again = PostgresStore::open(address, "project").unwrap();
        for _ in 0..3 {
            assert_eq!(found(&again, "needle"), [restored]);
        }
        let new = stores.put("a needle of this server, a needle", [90, 9]);
        assert_eq!(found(&again, "needle"), [new, restored]);
    });
}

#[test]
fn sees_a_large_addition_completely() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let before = stores.put("a needle is here", [90, 9]);
        assert_eq!(stores.by_word(), [before]);
        // More than one page of changes, in one transaction.
        let many = stores.put_many(4_500, |number| format!("needle{number} is alone here"));
        for number in [0, 1_999, 2_000, 4_499] {
            assert_eq!(found(&stores.reader, &format!("needle{number}")), [many], "{number}");
        }
        assert_eq!(stores.by_word(), [before]);
        stores.purge(many);
        assert_eq!(found(&stores.reader, "needle2000"), []);
        assert_eq!(stores.by_word(), [before]);
    });
}

#[test]
fn sees_reindexing_of_other_processes() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let put = |text: &str| {
            let mut new = new_entry(EntryKind::Source, "page");
            new.source = "page".to_owned();
            new.replaces_source = true;
            put(&stores.writer, new, text.as_bytes()).reference
        };
        put("a needle is here");
        let new = put("a haystack is here");
        assert_eq!(stores.by_word(), []);
        assert_eq!(found(&stores.reader, "haystack"), [new]);
        let newer = put("a needle and a haystack");
        assert_eq!(stores.by_word(), [newer]);
        assert_eq!(found(&stores.reader, "haystack"), [newer]);
    });
}

#[test]
fn a_note_superseded_elsewhere_is_not_found() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let old = put_note(&stores.writer, "the needle is blunt", decision(Some("needle")));
        assert_eq!(stores.by_word(), [old.reference]);
        let new = put_note(&stores.writer, "the needle is sharp", decision(Some("needle")));
        let shown = hits(&stores.reader, &query("needle"));
        assert_eq!(shown.len(), 1);
        assert_eq!((shown[0].reference, shown[0].supersedes), (new.reference, Some(old.reference)));
    });
}

#[test]
fn caches_nothing_of_other_projects_or_workspaces() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        let open =
            |address: &Address, project: &str| PostgresStore::open(address, project).unwrap();
        let server = crate::postgres_server::server();
        let stranger = Address::parse(&server, &crate::engine::unused_name()).unwrap();
        for other in [open(address, "other"), open(&stranger, "project")] {
            let theirs = put(&other, new_entry(EntryKind::Turn, "theirs"), b"a needle of theirs");
            assert_eq!(found(&other, "needle"), [theirs.reference]);
        }
        assert_eq!(stores.by_word(), []);
        let own = stores.put("a needle of ours", [90, 9]);
        assert_eq!(stores.by_word(), [own]);
    });
}

#[test]
fn cached_and_server_side_searches_agree() {
    on_postgres(|address| {
        let stores = ReaderAndWriter::open(address);
        stores.put_many(300, |number| format!("others have other words, {number}th of all"));
        for number in 0..60 {
            let kind = if number % 3 == 0 { EntryKind::Capture } else { EntryKind::Turn };
            let text = format!(
                "{}the parser reads number {number} {} and parseHTTP{}",
                "needle ".repeat(number % 5),
                "quickly ".repeat(number % 7),
                number % 4
            );
            let mut chunk = chunks_of("chunk", text.as_bytes()).remove(0);
            chunk.context = if number % 6 == 0 { "haystack nearby".into() } else { String::new() };
            let mut upload = stores.writer.upload().unwrap();
            upload.write(text.as_bytes()).unwrap();
            upload.chunk(chunk).unwrap();
            upload.finish(new_entry(kind, "chunk")).unwrap();
        }
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let asked = [
            query("needle"),
            query("needle parser quickly"),
            query("haystack needle"),
            query("number 17 parsehttp"),
            query("nowhere"),
            IndexQuery { prefixes: list(&["parseh"]), limit: 10, ..IndexQuery::default() },
            IndexQuery { phrases: list(&["parser reads number 20"]), ..query("quickly number") },
            IndexQuery { excluded: list(&["needle"]), ..query("quickly parser") },
            IndexQuery { kinds: vec![EntryKind::Capture], ..query("needle quickly") },
            IndexQuery { session: Some("nobody".into()), ..query("needle") },
        ];
        let uncached = PostgresStore::open(address, "project").unwrap();
        for query in asked {
            let scores = |store: &PostgresStore| -> Vec<(Reference, i64)> {
                let score = |hit: Hit| (hit.reference, (hit.words * 1_000.0).round() as i64);
                hits(store, &query).into_iter().map(score).collect()
            };
            assert_eq!(scores(&stores.reader), scores(&uncached), "{query:?}");
        }
    });
}
