//! What is stored is found by its words.

use std::time::Duration;

use forebay_domain::{Ending, EntryKind, NoteKind, Timestamp};
use forebay_store::{Embedding, IndexQuery, IndexState, IndexStep, PurgeSelection, Store};

use crate::engine::{
    NOW, chunks_of, decision, found, hits, new_entry, on_every_engine, put, put_note, put_run,
    query,
};

#[test]
fn words_need_not_stand_side_by_side() {
    on_every_engine(|store| {
        let note = put_note(store, "Vectorize stays optional", decision(None));
        assert_eq!(found(store, "Vectorize optional"), [note.reference]);
    });
}

#[test]
fn one_matching_word_is_enough_and_more_rank_higher() {
    on_every_engine(|store| {
        let weak = put_note(store, "the parser is slow", decision(None));
        let strong = put_note(store, "the response parser is fast", decision(None));
        assert_eq!(
            found(store, "how does the HTTP response parser work in production?"),
            [strong.reference, weak.reference]
        );
    });
}

#[test]
fn a_title_counts_more_than_the_body() {
    on_every_engine(|store| {
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

#[test]
fn operators_and_quotes_are_only_text() {
    on_every_engine(|store| {
        let note = put_note(store, "NEAR the AND gate", decision(None));
        for text in ["NEAR(", "\"gate", "gate AND OR NOT", "gate* ^x {y}", "col:gate -gate"] {
            assert_eq!(found(store, text), [note.reference], "{text}");
        }
        assert!(found(store, "").is_empty());
        assert!(found(store, "\"\"\"***").is_empty());
    });
}

#[test]
fn a_hit_shows_its_place_and_passage() {
    on_every_engine(|store| {
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
fn conditions_narrow_a_search() {
    on_every_engine(|store| {
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
fn a_passage_is_found_by_its_meaning_and_by_what_stands_around_it() {
    on_every_engine(|store| {
        let meaning = |vector: [u8; 2]| Embedding { model: "test".into(), vector: vector.to_vec() };
        let stored = |title: &str, vector: [u8; 2], around: &str| {
            let new = new_entry(EntryKind::Turn, title);
            let mut chunk = chunks_of(title, title.as_bytes()).remove(0);
            chunk.meaning = Some(meaning(vector));
            around.clone_into(&mut chunk.around);
            let mut upload = store.upload().unwrap();
            upload.write(title.as_bytes()).unwrap();
            upload.chunk(chunk).unwrap();
            upload.finish(new).unwrap().reference
        };
        let near = stored("one", [100, 10], "");
        let far = stored("two", [10, 100], "yesterday");
        let asked = |words: &str, vector: Option<[u8; 2]>, model: &'static str| {
            let mut query = query(words);
            query.meaning =
                vector.map(|vector| Embedding { model: model.into(), ..meaning(vector) });
            let hits = hits(store, &query);
            hits.into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
        };
        assert_eq!(asked("", Some([90, 0]), "test"), [near]);
        assert_eq!(asked("", Some([90, 0]), "other"), []);
        assert_eq!(asked("yesterday", None, ""), [far]);
        assert_eq!(asked("two", Some([90, 0]), "test"), [far, near]);
        store
            .purge(&PurgeSelection { references: vec![near], ..PurgeSelection::default() }, NOW)
            .unwrap();
        assert_eq!(asked("", Some([90, 0]), "test"), []);
    });
}

#[test]
fn what_is_not_indexed_yet_is_told_and_can_be_finished() {
    on_every_engine(|store| {
        let mut new = new_entry(EntryKind::Run, "big");
        new.chunks_are_complete = false;
        let raw = b"a word worth finding\n";
        let entry = store.put(new, raw).unwrap();
        assert!(found(store, "finding").is_empty());

        assert_eq!(store.unindexed_bytes().unwrap(), raw.len() as u64);
        assert_eq!(store.unindexed(0).unwrap(), []);
        let pending = store.unindexed(10).unwrap();
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
        assert_eq!(store.unindexed(10).unwrap(), []);
        assert_eq!(store.unindexed_bytes().unwrap(), 0);
    });
}

#[test]
fn parts_of_identifiers_are_found() {
    on_every_engine(|store| {
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
fn phrases_unwanted_words_and_moments_narrow_a_search() {
    on_every_engine(|store| {
        let written = |text: &str, day: i64| {
            let mut new = new_entry(EntryKind::Run, "log");
            new.created = Timestamp(day);
            put(store, new, text.as_bytes()).reference
        };
        let near = written("the exact phrase of http", 10);
        let far = written("the phrase that is exact", 20);
        let note = put_note(store, "exact phrase", decision(None)).reference;
        let asked = |change: fn(&mut IndexQuery)| {
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
            asked(|query| query.phrases = vec!["exact phrase".into()]),
            sorted(vec![near, note])
        );
        assert_eq!(asked(|query| query.without = vec!["http".into()]), sorted(vec![far, note]));
        assert_eq!(asked(|query| query.before = Some(Timestamp(20))), [near]);
        assert_eq!(asked(|query| query.after = Some(Timestamp(20))), sorted(vec![far, note]));
        assert_eq!(asked(|query| query.notes = vec![NoteKind::Decision]), [note]);
        let all = IndexQuery {
            limit: 2,
            kinds: vec![EntryKind::Run],
            lists_newest: true,
            ..IndexQuery::default()
        };
        let newest: Vec<_> = hits(store, &all).iter().map(|hit| hit.reference).collect();
        assert_eq!(newest, [far, near], "nothing but a kind: the newest first");
        let start =
            IndexQuery { beginnings: vec!["exa".into()], limit: 9, ..IndexQuery::default() };
        assert_eq!(hits(store, &start).len(), 3);
    });
}

/// The words that may be meant by one, and how many slips it has.
fn similar(store: &dyn Store, word: &str) -> Vec<(String, usize)> {
    let similar = store.similar_words(word).unwrap();
    similar.into_iter().map(|similar| (similar.word, similar.slips)).collect()
}

#[test]
fn slips_and_parts_lead_to_words_of_the_store() {
    on_every_engine(|store| {
        let text = b"migrations of the configuration store; storage, storeKeeper 9f3a7c21\n";
        let entry = put_run(store, "cat", text, Ending::Exited(0));
        let expect = |word: &str, slips: usize| vec![(word.to_owned(), slips)];
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
        assert!(similar(store, "migratoins").is_empty(), "its words are forgotten, too");
        put_run(store, "cat", text, Ending::Exited(0));
        assert_eq!(similar(store, "migratoins"), expect("migrations", 1), "and learned again");
    });
}

#[test]
fn questions_of_a_session_are_counted_for_a_while() {
    on_every_engine(|store| {
        let minute = Duration::from_mins(1);
        let ask = |session: &str, second: i64| {
            store.count_query(session, Timestamp(second * 1_000), minute).unwrap()
        };
        assert_eq!([ask("a", 0), ask("a", 1), ask("b", 1), ask("a", 59)], [1, 2, 1, 3]);
        assert_eq!(ask("a", 61), 3, "those a minute ago are forgotten");
    });
}
