//! What is stored is found by its words.

use forebay_domain::{Ending, EntryKind};
use forebay_store::{IndexState, IndexStep, Meaning, Query, Selection};

use crate::engine::{
    NOW, chunks_of, decision, found, new_entry, on_every_engine, put, put_note, put_run, query,
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
        let hits = store.search(&query("needle")).unwrap();
        assert_eq!(hits.len(), 1);
        let (first, last) = hits[0].lines;
        assert!(first <= 321 && 321 <= last && last - first < 100);
        assert!(store.passage(&hits[0]).unwrap().contains("needle number 321"));
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

        let narrowed = |change: fn(&mut Query)| {
            let mut query = query("shared");
            change(&mut query);
            store.search(&query).unwrap().into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
        };
        assert_eq!(narrowed(|query| query.session = Some("session-2".into())), [other]);
        assert_eq!(narrowed(|query| query.branch = Some("feature".into())), [other]);
        assert_eq!(narrowed(|query| query.source = Some("docs/*".into())), [source]);
        assert_eq!(narrowed(|query| query.kinds = vec![EntryKind::Note]), [note]);
        assert_eq!(narrowed(|query| query.limit = 2).len(), 2);
        assert_eq!(found(store, "shared").len(), 3);
    });
}

#[test]
fn a_passage_is_found_by_its_meaning_and_by_what_stands_around_it() {
    on_every_engine(|store| {
        let meaning = |vector: [u8; 2]| Meaning { model: "test".into(), vector: vector.to_vec() };
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
        let asked = |words: &str, vector: Option<[u8; 2]>, model: &str| {
            let mut query = query(words);
            query.meaning = vector.map(|vector| Meaning { model: model.into(), ..meaning(vector) });
            let hits = store.search(&query).unwrap();
            hits.into_iter().map(|hit| hit.reference).collect::<Vec<_>>()
        };
        assert_eq!(asked("", Some([90, 0]), "test"), [near]);
        assert_eq!(asked("", Some([90, 0]), "other"), []);
        assert_eq!(asked("yesterday", None, ""), [far]);
        assert_eq!(asked("two", Some([90, 0]), "test"), [far, near]);
        store.purge(&Selection { references: vec![near], ..Selection::default() }, NOW).unwrap();
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

        let pending = store.unindexed().unwrap();
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
        assert!(store.unindexed().unwrap().is_empty());
    });
}
