//! A process that is asked often holds words and meanings in memory, and still sees what others add and forget.

use forebay_domain::{EntryKind, Hit, Reference};
use forebay_store::prelude::*;
use forebay_store::{Embedding, IndexQuery, NewChunk, NewEntry, PurgeSelection, ReindexedChunk};
use forebay_store_postgres::{Address, PostgresStore};
use postgres::{Client, NoTls};

use crate::engine::{
    NOW, chunks_of, decision, found, hits, new_entry, on_postgres, put, put_note, query,
};

/// Who asks this often surely holds what is asked for.
const OFTEN: usize = 40;

/// One who asks and one who writes, each with a store of its own.
struct Two {
    asker: PostgresStore,
    writer: PostgresStore,
}

impl Two {
    fn open(address: &Address) -> Self {
        let open = || PostgresStore::open(address, "project").unwrap();
        let two = Self { asker: open(), writer: open() };
        two.put("the first passage", [1, 100]);
        for _ in 0..OFTEN {
            two.by_meaning([100, 10]);
            found(&two.asker, "needle");
        }
        two
    }

    fn put(&self, text: &str, vector: [u8; 2]) -> Reference {
        self.put_as(new_entry(EntryKind::Turn, text), text, vector)
    }

    /// In place of what was put so before.
    fn replace(&self, text: &str, vector: [u8; 2]) -> Reference {
        let mut new = new_entry(EntryKind::Source, "guide");
        (new.source, new.replaces_source) = ("guide".to_owned(), true);
        self.put_as(new, text, vector)
    }

    fn put_as(&self, new: NewEntry, text: &str, vector: [u8; 2]) -> Reference {
        let mut chunk = chunks_of(text, text.as_bytes()).remove(0);
        chunk.meaning = Some(meaning(vector));
        let mut upload = self.writer.upload().unwrap();
        upload.write(text.as_bytes()).unwrap();
        upload.chunk(chunk).unwrap();
        upload.finish(new).unwrap().reference
    }

    /// One entry with so many passages.
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

    fn forget(&self, reference: Reference) {
        let selection = PurgeSelection { references: vec![reference], ..PurgeSelection::default() };
        self.writer.purge(&selection, NOW).unwrap();
    }

    fn by_word(&self) -> Vec<Reference> {
        found(&self.asker, "needle")
    }

    fn by_meaning(&self, vector: [u8; 2]) -> Vec<Reference> {
        let mut query = query("");
        query.meaning = Some(meaning(vector));
        hits(&self.asker, &query).into_iter().map(|hit| hit.reference).collect()
    }
}

fn meaning(vector: [u8; 2]) -> Embedding {
    Embedding { model: "test".into(), vector: vector.to_vec() }
}

#[test]
fn what_others_add_and_forget_is_seen() {
    on_postgres(|address| {
        let two = Two::open(address);
        assert_eq!(two.by_word(), []);
        assert_eq!(two.by_meaning([100, 10]), []);
        let one = two.put("a needle is here", [90, 9]);
        assert_eq!(two.by_word(), [one]);
        assert_eq!(two.by_meaning([100, 10]), [one]);
        let other = two.put("another needle, needle, needle", [80, 16]);
        assert_eq!(two.by_word(), [other, one], "it has the word more often");
        assert_eq!(
            two.by_meaning([100, 10]),
            [other, one],
            "the newer first, where words say nothing"
        );
        two.forget(one);
        assert_eq!(two.by_word(), [other]);
        assert_eq!(two.by_meaning([100, 10]), [other]);
    });
}

#[test]
fn what_is_replaced_is_no_hit() {
    on_postgres(|address| {
        let two = Two::open(address);
        let other = two.put("another needle, far from the guide", [80, 16]);
        for text in ["the needle is long", "the needle is short", "a needle"] {
            let now = two.replace(text, [90, 9]);
            for _ in 0..3 {
                let by_word = two.by_word();
                assert!(by_word.len() == 2 && by_word.contains(&now) && by_word.contains(&other));
                assert_eq!(two.by_meaning([100, 10]), [now, other]);
            }
        }
    });
}

#[test]
fn a_passage_of_a_transaction_that_ends_late_is_not_missed() {
    on_postgres(|address| {
        let two = Two::open(address);
        let late = two.put("it will have one more passage", [1, 100]);
        let mut client = Client::connect(&crate::postgres_server::server(), NoTls).unwrap();
        let mut transaction = client.transaction().unwrap();
        let copy = "INSERT INTO forebay.chunk (workspace, project, entry, start, bytes, first_line, last_line,
                title, code, form, length, around_length, words)
            SELECT chunk.workspace, chunk.project, entry, start, bytes, first_line, last_line, chunk.title, code,
                form, length, around_length, format('''%s:needl''', chunk.project)::tsvector
            FROM forebay.chunk JOIN forebay.entry ON entry.workspace = chunk.workspace AND entry.id = chunk.entry
            WHERE entry.ref = $1";
        assert_eq!(transaction.execute(copy, &[&late.as_str()]).unwrap(), 1);
        let meanwhile = two.put("a needle of somebody quicker", [90, 9]);
        assert_eq!(two.by_word(), [meanwhile]);
        assert_eq!(two.by_word(), [meanwhile], "once, though it is looked for again");
        transaction.commit().unwrap();
        let mut seen = two.by_word();
        seen.sort_unstable_by_key(Reference::to_string);
        let mut expected = vec![late, meanwhile];
        expected.sort_unstable_by_key(Reference::to_string);
        assert_eq!(seen, expected);
    });
}

#[test]
fn a_passage_that_is_indexed_anew_is_found_by_its_new_words_alone() {
    on_postgres(|address| {
        let two = Two::open(address);
        let one = two.put("a needle is here", [90, 9]);
        assert_eq!(two.by_word(), [one]);
        let mut client = Client::connect(&crate::postgres_server::server(), NoTls).unwrap();
        let outdate = "UPDATE forebay.chunk SET form = 0 FROM forebay.entry
            WHERE entry.workspace = chunk.workspace AND entry.id = chunk.entry AND entry.ref = $1";
        assert_eq!(client.execute(outdate, &[&one.as_str()]).unwrap(), 1);
        let passage = two.writer.outdated(10).unwrap().remove(0).passage;
        let mut chunk = chunks_of("renewed", b"a haystack is here").remove(0);
        chunk.meaning = Some(meaning([1, 100]));
        two.writer.renew(&[ReindexedChunk { passage, chunk }]).unwrap();
        assert_eq!(two.by_word(), []);
        assert_eq!(two.by_meaning([100, 10]), []);
        assert_eq!(found(&two.asker, "haystack"), [one]);
    });
}

#[test]
fn what_was_restored_from_a_dump_is_not_new_again_and_again() {
    on_postgres(|address| {
        let two = Two::open(address);
        let restored = two.put("a needle from another server", [90, 9]);
        let mut client = Client::connect(&crate::postgres_server::server(), NoTls).unwrap();
        let age = "UPDATE forebay.chunk SET written = '18000000000000000000' FROM forebay.entry
            WHERE entry.workspace = chunk.workspace AND entry.id = chunk.entry AND entry.ref = $1";
        assert_eq!(client.execute(age, &[&restored.as_str()]).unwrap(), 1);
        let again = PostgresStore::open(address, "project").unwrap();
        for _ in 0..3 {
            assert_eq!(found(&again, "needle"), [restored]);
        }
        let new = two.put("a needle of this server, a needle", [90, 9]);
        assert_eq!(found(&again, "needle"), [new, restored]);
    });
}

#[test]
fn much_that_another_adds_at_once_is_seen_whole() {
    on_postgres(|address| {
        let two = Two::open(address);
        let before = two.put("a needle is here", [90, 9]);
        assert_eq!(two.by_word(), [before]);
        // More than one page of news, in one transaction.
        let many = two.put_many(4_500, |number| format!("needle{number} stands here alone"));
        for number in [0, 1_999, 2_000, 4_499] {
            assert_eq!(found(&two.asker, &format!("needle{number}")), [many], "{number}");
        }
        assert_eq!(two.by_word(), [before]);
        two.forget(many);
        assert_eq!(found(&two.asker, "needle2000"), []);
        assert_eq!(two.by_word(), [before]);
    });
}

#[test]
fn what_another_indexes_again_is_found_by_its_new_words() {
    on_postgres(|address| {
        let two = Two::open(address);
        let put = |text: &str| {
            let mut new = new_entry(EntryKind::Source, "page");
            new.source = "page".to_owned();
            new.replaces_source = true;
            put(&two.writer, new, text.as_bytes()).reference
        };
        put("a needle is here");
        let new = put("a haystack is here");
        assert_eq!(two.by_word(), []);
        assert_eq!(found(&two.asker, "haystack"), [new]);
        let newer = put("a needle and a haystack");
        assert_eq!(two.by_word(), [newer]);
        assert_eq!(found(&two.asker, "haystack"), [newer]);
    });
}

#[test]
fn a_note_that_another_replaced_is_no_hit() {
    on_postgres(|address| {
        let two = Two::open(address);
        let old = put_note(&two.writer, "the needle is blunt", decision(Some("needle")));
        assert_eq!(two.by_word(), [old.reference]);
        let new = put_note(&two.writer, "the needle is sharp", decision(Some("needle")));
        let shown = hits(&two.asker, &query("needle"));
        assert_eq!(shown.len(), 1);
        assert_eq!((shown[0].reference, shown[0].supersedes), (new.reference, Some(old.reference)));
    });
}

#[test]
fn nothing_of_another_project_or_workspace_is_held() {
    on_postgres(|address| {
        let two = Two::open(address);
        let open =
            |address: &Address, project: &str| PostgresStore::open(address, project).unwrap();
        let server = crate::postgres_server::server();
        let stranger = Address::read(&server, &crate::engine::unused_name()).unwrap();
        for other in [open(address, "other"), open(&stranger, "project")] {
            let theirs = put(&other, new_entry(EntryKind::Turn, "theirs"), b"a needle of theirs");
            assert_eq!(found(&other, "needle"), [theirs.reference]);
        }
        assert_eq!(two.by_word(), []);
        let own = two.put("a needle of ours", [90, 9]);
        assert_eq!(two.by_word(), [own]);
    });
}

#[test]
fn who_holds_all_words_answers_as_who_asks_the_server() {
    on_postgres(|address| {
        let two = Two::open(address);
        two.put_many(300, |number| format!("others have other words, {number}th of all"));
        for number in 0..60 {
            let kind = if number % 3 == 0 { EntryKind::Capture } else { EntryKind::Turn };
            let text = format!(
                "{}the parser reads number {number} {} and parseHTTP{}",
                "needle ".repeat(number % 5),
                "quickly ".repeat(number % 7),
                number % 4
            );
            let mut chunk = chunks_of("passage", text.as_bytes()).remove(0);
            chunk.around = if number % 6 == 0 { "haystack nearby".into() } else { String::new() };
            let mut upload = two.writer.upload().unwrap();
            upload.write(text.as_bytes()).unwrap();
            upload.chunk(chunk).unwrap();
            upload.finish(new_entry(kind, "passage")).unwrap();
        }
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let asked = [
            query("needle"),
            query("needle parser quickly"),
            query("haystack needle"),
            query("number 17 parsehttp"),
            query("nowhere"),
            IndexQuery { beginnings: list(&["parseh"]), limit: 10, ..IndexQuery::default() },
            IndexQuery { phrases: list(&["parser reads number 20"]), ..query("quickly number") },
            IndexQuery { without: list(&["needle"]), ..query("quickly parser") },
            IndexQuery { kinds: vec![EntryKind::Capture], ..query("needle quickly") },
            IndexQuery { session: Some("nobody".into()), ..query("needle") },
        ];
        let new_one = PostgresStore::open(address, "project").unwrap();
        for query in asked {
            let told = |store: &PostgresStore| -> Vec<(Reference, i64)> {
                let told = |hit: Hit| (hit.reference, (hit.words * 1_000.0).round() as i64);
                hits(store, &query).into_iter().map(told).collect()
            };
            assert_eq!(told(&two.asker), told(&new_one), "{query:?}");
        }
    });
}
