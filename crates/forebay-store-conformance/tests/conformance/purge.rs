//! A purge deletes exactly what was selected.

use std::time::{Duration, SystemTime};

use forebay_domain::time::days;
use forebay_domain::usage::Answered;
use forebay_domain::{Ending, EntryKind, Timestamp};
use forebay_store::{Expiry, NewChunk, NewNote, PurgeSelection, Store, StoreError};

use crate::engine::{
    NOW, decision, for_each_engine, found, new_entry, put, put_note, put_run, raw_of,
};

fn later(span: Duration) -> Timestamp {
    Timestamp(NOW.0 + span.as_millis() as i64)
}

fn expired() -> PurgeSelection {
    let keep = vec![(EntryKind::Run, days(30))];
    PurgeSelection {
        expired: Some(Expiry { keep, limit: 100, ..Expiry::default() }),
        ..PurgeSelection::default()
    }
}

#[test]
fn purges_an_unexpired_entry_by_reference() {
    for_each_engine(|store| {
        let gone = put_run(store, "secret", b"the password is swordfish", Ending::Exited(0));
        let kept = put_run(store, "kept", b"another output", Ending::Exited(0));
        let selection =
            PurgeSelection { references: vec![gone.reference], ..PurgeSelection::default() };

        let preview = store.preview_purge(&selection, NOW).unwrap();
        assert_eq!((preview.entries, preview.examples.len()), (1, 1));
        assert!(store.entry(gone.reference).is_ok(), "a survey takes nothing");

        assert_eq!(store.purge(&selection, NOW).unwrap(), preview);
        assert!(matches!(store.entry(gone.reference), Err(StoreError::Gone { .. })));
        assert!(found(store, "swordfish").is_empty());
        assert!(raw_of(store, kept.reference).is_ok());
    });
}

#[test]
fn filters_narrow_a_purge() {
    for_each_engine(|store| {
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
fn an_empty_selection_purges_nothing() {
    for_each_engine(|store| {
        put_run(store, "kept", b"out", Ending::Exited(0));
        assert_eq!(store.purge(&PurgeSelection::default(), NOW).unwrap().entries, 0);
        let everything = PurgeSelection { everything: true, ..PurgeSelection::default() };
        assert_eq!(store.purge(&everything, NOW).unwrap().entries, 1);
        assert_eq!(store.stats().unwrap().raw_bytes, 0);
    });
}

#[test]
fn content_shared_with_another_entry_stays() {
    for_each_engine(|store| {
        let first = put_run(store, "first", b"same output", Ending::Exited(0));
        let second = put_run(store, "second", b"same output", Ending::Exited(0));
        let selection =
            PurgeSelection { references: vec![first.reference], ..PurgeSelection::default() };
        store.purge(&selection, NOW).unwrap();
        assert_eq!(raw_of(store, second.reference).unwrap(), b"same output");
    });
}

#[test]
fn runs_expire_but_notes_do_not() {
    for_each_engine(|store| {
        let run = put_run(store, "old run", b"out", Ending::Exited(0));
        let note = put_note(store, "a lasting decision", decision(None));
        assert_eq!(store.purge(&expired(), later(days(29))).unwrap().entries, 0);
        assert_eq!(store.purge(&expired(), later(days(3_000))).unwrap().entries, 1);
        assert!(store.entry(run.reference).is_err());
        assert!(store.entry(note.reference).is_ok());
    });
}

#[test]
fn entries_in_use_do_not_expire() {
    for_each_engine(|store| {
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
fn an_expiry_purge_is_limited() {
    for_each_engine(|store| {
        for number in 0..12 {
            put_run(store, &format!("run {number}"), b"out", Ending::Exited(0));
        }
        let mut selection = expired();
        selection.expired.as_mut().unwrap().limit = 5;
        let swept = |store: &dyn Store| store.purge(&selection, later(days(90))).unwrap().entries;
        assert_eq!([swept(store), swept(store), swept(store), swept(store)], [5, 5, 2, 0]);
    });
}

#[test]
fn reindexing_a_source_replaces_it() {
    for_each_engine(|store| {
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

/// A process that is killed during an upload leaves the parts it wrote.
#[test]
fn any_purge_deletes_uploads_abandoned_by_a_crash() {
    for_each_engine(|store| {
        let gone = put_run(store, "gone", b"an output", Ending::Exited(0));
        let complete = store.stats().unwrap().chunks;
        let mut upload = store.upload().unwrap();
        upload.chunk(NewChunk { text: "half-written".into(), ..NewChunk::default() }).unwrap();
        for number in 0..40_u8 {
            upload.write(&vec![number; 100_000]).unwrap();
        }
        std::mem::forget(upload);
        assert_eq!(store.stats().unwrap().chunks, complete + 1);

        let selection =
            PurgeSelection { references: vec![gone.reference], ..PurgeSelection::default() };
        // The engines date an unfinished upload by the clock of the machine.
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let in_two_days = Timestamp((since_epoch + days(2)).as_millis() as i64);
        store.purge(&selection, in_two_days).unwrap();
        assert_eq!(store.stats().unwrap().chunks, 0);
    });
}

#[test]
fn usage_is_purged_with_its_session_or_by_age() {
    for_each_engine(|store| {
        let record = |session: &str, at: Timestamp| {
            let answered = Answered {
                tool: "ctx_execute".to_owned(),
                session: session.to_owned(),
                entry: None,
                raw_tokens: 9,
                host_tokens: 8,
                delivered_tokens: 2,
                millis: 1,
            };
            store.record_usage(&[(answered, at)]).unwrap();
        };
        let answers = || {
            let by_tool = store.usage(None).unwrap();
            by_tool.values().map(|totals| totals.answers).sum::<u64>()
        };
        record("s", NOW);
        record("t", NOW);
        record("t", later(days(5)));
        let none = PurgeSelection { source: Some("*".to_owned()), ..PurgeSelection::default() };
        store.purge(&none, later(days(9))).unwrap();
        assert_eq!(answers(), 3, "a selection of entries covers no usage");
        let of_session =
            PurgeSelection { session: Some("s".to_owned()), ..PurgeSelection::default() };
        store.purge(&of_session, NOW).unwrap();
        assert_eq!(answers(), 2);
        let expiry = Expiry { events: Some(days(3)), limit: 100, ..Expiry::default() };
        let old = PurgeSelection { expired: Some(expiry), ..PurgeSelection::default() };
        store.purge(&old, later(days(6))).unwrap();
        assert_eq!(answers(), 1);
        let all = PurgeSelection { everything: true, ..PurgeSelection::default() };
        store.purge(&all, NOW).unwrap();
        assert_eq!(answers(), 0);
    });
}
