//! Forgetting takes what was named, all of it, and nothing else.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{Ending, EntryKind, Timestamp};
use forebay_store::{Expiry, NewNote, PurgeSelection, Store, StoreError};

use crate::engine::{
    NOW, decision, found, new_entry, on_every_engine, put, put_note, put_run, raw_of,
};

fn later(span: Duration) -> Timestamp {
    Timestamp(NOW.0 + span.as_millis() as i64)
}

fn expired() -> PurgeSelection {
    let keep = vec![(EntryKind::Run, days(30))];
    PurgeSelection {
        expired: Some(Expiry { keep, at_most: 100, ..Expiry::default() }),
        ..PurgeSelection::default()
    }
}

#[test]
fn an_entry_that_has_not_expired_is_purged_by_name() {
    on_every_engine(|store| {
        let gone = put_run(store, "secret", b"the password is swordfish", Ending::Exited(0));
        let kept = put_run(store, "kept", b"another output", Ending::Exited(0));
        let selection =
            PurgeSelection { references: vec![gone.reference], ..PurgeSelection::default() };

        let told = store.preview_purge(&selection, NOW).unwrap();
        assert_eq!((told.entries, told.examples.len()), (1, 1));
        assert!(store.entry(gone.reference).is_ok(), "a survey takes nothing");

        assert_eq!(store.purge(&selection, NOW).unwrap(), told);
        assert!(matches!(store.entry(gone.reference), Err(StoreError::Gone { .. })));
        assert!(found(store, "swordfish").is_empty());
        assert!(raw_of(store, kept.reference).is_ok());
    });
}

#[test]
fn conditions_narrow_what_is_forgotten() {
    on_every_engine(|store| {
        let mut old = new_entry(EntryKind::Source, "old");
        old.source = "docs/a.md".into();
        old.created = Timestamp(NOW.0 - 1_000_000);
        let old = put(store, old, b"old text").reference;
        let mut young = new_entry(EntryKind::Source, "young");
        young.source = "docs/b.md".into();
        let young = put(store, young, b"young text").reference;
        let selection = PurgeSelection {
            source: Some("docs/*".into()),
            older_than: Some(Duration::from_secs(500)),
            ..PurgeSelection::default()
        };
        assert_eq!(store.purge(&selection, NOW).unwrap().entries, 1);
        assert!(store.entry(old).is_err());
        assert!(store.entry(young).is_ok());
    });
}

#[test]
fn nothing_named_is_nothing_forgotten() {
    on_every_engine(|store| {
        put_run(store, "kept", b"out", Ending::Exited(0));
        assert_eq!(store.purge(&PurgeSelection::default(), NOW).unwrap().entries, 0);
        let everything = PurgeSelection { everything: true, ..PurgeSelection::default() };
        assert_eq!(store.purge(&everything, NOW).unwrap().entries, 1);
        assert_eq!(store.facts().unwrap().raw_bytes, 0);
    });
}

#[test]
fn content_that_another_entry_holds_stays() {
    on_every_engine(|store| {
        let first = put_run(store, "first", b"same output", Ending::Exited(0));
        let second = put_run(store, "second", b"same output", Ending::Exited(0));
        let selection =
            PurgeSelection { references: vec![first.reference], ..PurgeSelection::default() };
        store.purge(&selection, NOW).unwrap();
        assert_eq!(raw_of(store, second.reference).unwrap(), b"same output");
    });
}

#[test]
fn runs_expire_and_notes_never() {
    on_every_engine(|store| {
        let run = put_run(store, "old run", b"out", Ending::Exited(0));
        let note = put_note(store, "a lasting decision", decision(None));
        assert_eq!(store.purge(&expired(), later(days(29))).unwrap().entries, 0);
        assert_eq!(store.purge(&expired(), later(days(3_000))).unwrap().entries, 1);
        assert!(store.entry(run.reference).is_err());
        assert!(store.entry(note.reference).is_ok());
    });
}

#[test]
fn what_is_in_use_does_not_expire() {
    on_every_engine(|store| {
        let named = put_run(store, "named by a note", b"out", Ending::Exited(0));
        let note = NewNote { links: vec![named.reference], ..decision(None) };
        put_note(store, "see the run", note);
        let at_work = put_run(store, "session at work", b"out 2", Ending::Exited(0));
        let mut recent = new_entry(EntryKind::Run, "just now");
        recent.created = later(days(40));
        put(store, recent, b"out 3");

        assert_eq!(store.purge(&expired(), later(days(40))).unwrap().entries, 0);
        assert!(store.entry(at_work.reference).is_ok());
        assert_eq!(store.purge(&expired(), later(days(50))).unwrap().entries, 1);
        assert!(store.entry(named.reference).is_ok());
    });
}

#[test]
fn a_sweep_is_bounded() {
    on_every_engine(|store| {
        for number in 0..12 {
            put_run(store, &format!("run {number}"), b"out", Ending::Exited(0));
        }
        let mut selection = expired();
        selection.expired.as_mut().unwrap().at_most = 5;
        let swept = |store: &dyn Store| store.purge(&selection, later(days(90))).unwrap().entries;
        assert_eq!([swept(store), swept(store), swept(store), swept(store)], [5, 5, 2, 0]);
    });
}

#[test]
fn indexing_a_source_again_replaces_it() {
    on_every_engine(|store| {
        let again = |text: &str| {
            let mut new = new_entry(EntryKind::Source, "guide");
            new.source = "guide.md".into();
            new.replaces_source = true;
            put(store, new, text.as_bytes()).reference
        };
        let first = again("about turtles");
        let second = again("about tortoises");
        assert!(found(store, "turtles").is_empty());
        assert_eq!(found(store, "tortoises"), [second]);
        let error = store.entry(first).unwrap_err();
        assert!(error.to_string().contains("indexed again"), "{error}");
    });
}
