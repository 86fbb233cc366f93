//! Stored entries are found by words, phrases, embeddings and filters.

use std::time::Duration;

use forebay_domain::{Ending, EntryKind, NoteKind, Timestamp};
use forebay_store::{Embedding, IndexQuery, IndexState, IndexStep, PurgeSelection, Store};

use crate::engine::{
    NOW, chunks_of, decision, for_each_engine, found, hits, new_entry, put, put_note, put_run,
    query,
};

#[test]
fn words_need_not_be_adjacent() {
    for_each_engine(|store| {
        let note = put_note(store, "Vectorize stays optional", decision(None));
        assert_eq!(found(store, "Vectorize optional"), [note.reference]);
    });
}

#[test]
fn one_matching_word_is_enough_and_more_rank_higher() {
    for_each_engine(|store| {
        let weak = put_note(store, "the parser is slow", decision(None));
        let strong = put_note(store, "the response parser is fast", decision(None));
        assert_eq!(
            found(store, "how does the HTTP response parser work in production?"),
            [strong.reference, weak.reference]
        );
    });
}

#[test]
fn a_title_match_outranks_a_body_match() {
    for_each_engine(|store| {
        put_run(
            store,
            "ls",
            b"deploy notes and other files and much more text\n",
            Ending::Exited(0),
        );
        let titled = put_run(
            store,
            "deploy",
            b"notes and other files and much more text\n",
            Ending::Exited(0),
        );
        assert_eq!(found(store, "deploy")[0], titled.reference);
    });
}

/// Lines that all have the word, many chunks of them.
fn dump(word: &str) -> Vec<u8> {
    let lines = (1..=20_000).map(|line| format!("{word} {word} queue {line} {word}\n"));
    lines.collect::<String>().into_bytes()
}

#[test]
fn a_dump_leaves_room_for_other_entries() {
    for_each_engine(|store| {
        let note = "The walrus is restarted after each deployment, see the manual of operations.";
        let note = put_note(store, note, decision(None)).reference;
        let dumps = ["first", "second"]
            .map(|name| put_run(store, name, &dump("walrus"), Ending::Exited(0)).reference);
        // Searched often enough that a server's index is loaded into memory.
        for _ in 0..40 {
            let found = found(store, "walrus");
            assert_eq!(found.len(), 10, "a dump fills what others leave");
            for reference in dumps.iter().chain([&note]) {
                assert!(found.contains(reference), "{found:?}");
            }
        }
        let only_dump = IndexQuery { entries: vec![dumps[0]], ..query("walrus") };
        assert_eq!(hits(store, &only_dump).len(), 10);
    });
}

#[test]
fn a_dump_leaves_room_for_entries_found_by_embedding() {
    for_each_engine(|store| {
        let put = |title: &str, lines: usize, vector: [u8; 2], key: Option<&str>| {
            let mut upload = store.upload().unwrap();
            for _ in 0..lines {
                let mut chunk = chunks_of(title, title.as_bytes()).remove(0);
                chunk.embedding = Some(Embedding { model: "test".into(), vector: vector.to_vec() });
                chunk.key = key.map(str::to_owned);
                upload.write(title.as_bytes()).unwrap();
                upload.chunk(chunk).unwrap();
            }
            upload.finish(new_entry(EntryKind::Turn, title)).unwrap().reference
        };
        let small = put("small", 1, [100, 60], None);
        let dump = put("dump", 200, [100, 1], None);
        let keyed = put("keyed", 200, [100, 2], Some("one document"));
        let embedding = Some(Embedding { model: "test".into(), vector: vec![100, 0] });
        let query = IndexQuery { embedding, limit: 10, ..IndexQuery::default() };
        for _ in 0..40 {
            let found: Vec<_> = hits(store, &query).into_iter().map(|hit| hit.reference).collect();
            assert!([small, dump, keyed].iter().all(|one| found.contains(one)), "{found:?}");
        }
    });
}

#[test]
fn operators_and_quotes_are_plain_text() {
    for_each_engine(|store| {
        let note = put_note(store, "NEAR the AND gate", decision(None));
        for text in ["NEAR(", "\"gate", "gate AND OR NOT", "gate* ^x {y}", "col:gate -gate"] {
            assert_eq!(found(store, text), [note.reference], "{text}");
        }
        assert!(found(store, "").is_empty());
        assert!(found(store, "\"\"\"***").is_empty());
    });
}

#[test]
fn a_hit_has_its_lines_and_text() {
    for_each_engine(|store| {
        let raw: String =
            (1..=500).map(|line| format!("line number {line} of the log\n")).collect();
        let raw = raw.replace("line number 321 ", "needle number 321 ");
        let entry = put_run(store, "make", raw.as_bytes(), Ending::Exited(2));
        let hits = hits(store, &query("needle"));
        assert_eq!(hits.len(), 1);
        let (first, last) = hits[0].lines;
        assert!(first <= 321 && 321 <= last && last - first < 100);
        assert!(hits[0].text.contains("needle number 321"));
        assert!(hits[0].words > 0.0);
        assert_eq!(hits[0].reference, entry.reference);
    });
}

#[test]
fn filters_narrow_a_search() {
    for_each_engine(|store| {
        let mut other = new_entry(EntryKind::Run, "cargo test");
        other.session = "session-2".into();
        other.branch = Some("feature".into());
        let other = put(store, other, b"shared word").reference;
        let mut source = new_entry(EntryKind::Source, "guide");
        source.source = "docs/guide.md".into();
        let source = put(store, source, b"shared word").reference;
        let note = put_note(store, "shared word", decision(None)).reference;

        let narrowed = |change: fn(&mut IndexQuery)| {
            let mut query = query("shared");
            change(&mut query);
            hits(store, &query).into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
        };
        assert_eq!(narrowed(|query| query.session = Some("session-2".into())), [other]);
        assert_eq!(narrowed(|query| query.branch = Some("feature".into())), [other]);
        assert_eq!(narrowed(|query| query.sources = vec!["docs/*".into()]), [source]);
        assert_eq!(narrowed(|query| query.kinds = vec![EntryKind::Note]), [note]);
        assert_eq!(narrowed(|query| query.limit = 2).len(), 2);
        assert_eq!(found(store, "shared").len(), 3);
    });
}

#[test]
fn finds_a_chunk_by_embedding_and_by_context() {
    for_each_engine(|store| {
        let embedding =
            |vector: [u8; 2]| Embedding { model: "test".into(), vector: vector.to_vec() };
        let stored = |title: &str, vector: [u8; 2], context: &str| {
            let new = new_entry(EntryKind::Turn, title);
            let mut chunk = chunks_of(title, title.as_bytes()).remove(0);
            chunk.embedding = Some(embedding(vector));
            context.clone_into(&mut chunk.context);
            let mut upload = store.upload().unwrap();
            upload.write(title.as_bytes()).unwrap();
            upload.chunk(chunk).unwrap();
            upload.finish(new).unwrap().reference
        };
        let nearest = stored("one", [100, 10], "");
        let far = stored("two", [10, 100], "yesterday");
        let found_by = |words: &str, vector: Option<[u8; 2]>, model: &'static str| {
            let mut query = query(words);
            query.embedding =
                vector.map(|vector| Embedding { model: model.into(), ..embedding(vector) });
            let hits = hits(store, &query);
            hits.into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
        };
        assert_eq!(found_by("", Some([90, 0]), "test"), [nearest]);
        assert_eq!(found_by("", Some([90, 0]), "other"), []);
        assert_eq!(found_by("yesterday", None, ""), [far]);
        assert_eq!(found_by("two", Some([90, 0]), "test"), [far, nearest]);
        store
            .purge(&PurgeSelection { references: vec![nearest], ..PurgeSelection::default() }, NOW)
            .unwrap();
        assert_eq!(found_by("", Some([90, 0]), "test"), []);
    });
}

#[test]
fn reports_and_finishes_unindexed_entries() {
    for_each_engine(|store| {
        let mut new = new_entry(EntryKind::Run, "big");
        new.has_all_chunks = false;
        let raw = b"a word worth finding\n";
        let entry = store.put(new, raw).unwrap();
        assert!(found(store, "finding").is_empty());

        assert_eq!(store.unindexed_bytes().unwrap(), raw.len() as u64);
        assert_eq!(store.unindexed_entries(0).unwrap(), []);
        let pending = store.unindexed_entries(10).unwrap();
        assert_eq!(
            pending,
            [IndexState {
                reference: entry.reference,
                title: "big".into(),
                offset: 0,
                line: 1,
                bytes: raw.len() as u64
            }]
        );
        let to = (raw.len() as u64, 2);
        let step = IndexStep { from: pending[0].clone(), chunks: chunks_of("big", raw), to };
        store.extend_index(&[step.clone(), step.clone()]).unwrap();
        store.extend_index(&[step]).unwrap();
        assert_eq!(found(store, "finding"), [entry.reference], "the others came too late");
        assert_eq!(store.unindexed_entries(10).unwrap(), []);
        assert_eq!(store.unindexed_bytes().unwrap(), 0);
    });
}

#[test]
fn finds_parts_of_identifiers() {
    for_each_engine(|store| {
        let code =
            put_run(store, "cat", b"fn parseHTTPResponse(raw_body: &str)\n", Ending::Exited(0));
        let other =
            put_run(store, "ls", "src/to/my_file.rs 配置文件 🦀\n".as_bytes(), Ending::Exited(0));
        for text in ["http response", "parsehttpresponse", "raw_body", "parse_http_response"] {
            assert_eq!(found(store, text), [code.reference], "{text}");
        }
        for text in ["my file", "src/to/my_file.rs", "文件", "配", "🦀"] {
            let words = forebay_domain::Query::parse(text, NOW).words(9);
            let hits = hits(store, &IndexQuery { words, limit: 5, ..IndexQuery::default() });
            assert_eq!(hits[0].reference, other.reference, "{text}");
        }
    });
}

#[test]
fn phrases_exclusions_and_times_narrow_a_search() {
    for_each_engine(|store| {
        let written = |text: &str, day: i64| {
            let mut new = new_entry(EntryKind::Run, "log");
            new.created = Timestamp(day);
            put(store, new, text.as_bytes()).reference
        };
        let nearest = written("the exact phrase of http", 10);
        let far = written("the phrase that is exact", 20);
        let note = put_note(store, "exact phrase", decision(None)).reference;
        let found_by = |change: fn(&mut IndexQuery)| {
            let mut query = query("exact phrase");
            change(&mut query);
            let hits = hits(store, &query);
            let mut found: Vec<_> = hits.into_iter().map(|hit| hit.reference).collect();
            found.sort();
            found
        };
        let sorted = |mut all: Vec<forebay_domain::Reference>| {
            all.sort();
            all
        };
        assert_eq!(
            found_by(|query| query.phrases = vec!["exact phrase".into()]),
            sorted(vec![nearest, note])
        );
        assert_eq!(found_by(|query| query.excluded = vec!["http".into()]), sorted(vec![far, note]));
        assert_eq!(found_by(|query| query.before = Some(Timestamp(20))), [nearest]);
        assert_eq!(found_by(|query| query.after = Some(Timestamp(20))), sorted(vec![far, note]));
        assert_eq!(found_by(|query| query.notes = vec![NoteKind::Decision]), [note]);
        let all = IndexQuery {
            limit: 2,
            kinds: vec![EntryKind::Run],
            lists_newest: true,
            ..IndexQuery::default()
        };
        let newest: Vec<_> = hits(store, &all).iter().map(|hit| hit.reference).collect();
        assert_eq!(newest, [far, nearest], "nothing but a kind: the newest first");
        let start = IndexQuery { prefixes: vec!["exa".into()], limit: 9, ..IndexQuery::default() };
        assert_eq!(hits(store, &start).len(), 3);
    });
}

/// Returns similar words with their edit distance.
fn similar(store: &dyn Store, word: &str) -> Vec<(String, usize)> {
    let similar = store.similar_words(word).unwrap();
    similar.into_iter().map(|similar| (similar.word, similar.edits)).collect()
}

#[test]
fn words_are_counted_by_stem() {
    for_each_engine(|store| {
        put_run(store, "cat", b"falcon falcon ostrich\n", Ending::Exited(0));
        put_run(store, "cat", b"the falcons sleep\n", Ending::Exited(0));
        let words = ["falcon", "ostriches", "zebra"].map(str::to_owned);
        let statistics = store.word_statistics(&words).unwrap();
        assert_eq!((statistics.chunks, &*statistics.containing), (2, &[2, 1, 0][..]));
        assert!((3.0..8.0).contains(&statistics.average_length), "{statistics:?}");
        assert_eq!(store.word_statistics(&words).unwrap(), statistics);
    });
}

#[test]
fn finds_similar_words_for_typos_and_substrings() {
    for_each_engine(|store| {
        let text = b"migrations of the configuration store; storage, storeKeeper 9f3a7c21\n";
        let entry = put_run(store, "cat", text, Ending::Exited(0));
        let expect = |word: &str, edits: usize| vec![(word.to_owned(), edits)];
        assert_eq!(similar(store, "migratoins"), expect("migrations", 1));
        assert_eq!(similar(store, "stroe"), expect("store", 1));
        assert_eq!(similar(store, "sotre"), expect("store", 1));
        assert_eq!(similar(store, "gonfiguration"), expect("configuration", 1));
        assert_eq!(similar(store, "figurat"), expect("configuration", 0));
        assert_eq!(similar(store, "rekeep"), expect("storekeeper", 0));
        assert!(similar(store, "zebra").is_empty() && similar(store, "9f3a").is_empty());
        assert!(similar(store, "\"*").is_empty() && similar(store, "").is_empty());
        let words = ["store", "migratoins", "keeper"].map(str::to_owned);
        assert_eq!(store.unknown_words(&words).unwrap(), ["migratoins"]);
        let all = PurgeSelection { references: vec![entry.reference], ..PurgeSelection::default() };
        store.purge(&all, NOW).unwrap();
        assert!(similar(store, "migratoins").is_empty(), "purged words are not suggested");
        put_run(store, "cat", text, Ending::Exited(0));
        assert_eq!(similar(store, "migratoins"), expect("migrations", 1), "and learned again");
    });
}

#[test]
fn counts_queries_of_a_session_within_a_window() {
    for_each_engine(|store| {
        let minute = Duration::from_mins(1);
        let count = |session: &str, second: i64| {
            store.count_query(session, Timestamp(second * 1_000), minute).unwrap()
        };
        assert_eq!([count("a", 0), count("a", 1), count("b", 1), count("a", 59)], [1, 2, 1, 3]);
        assert_eq!(count("a", 61), 3, "older queries are not counted");
    });
}
