//! Notes are read back completely, and the newest on a topic supersedes older ones.

use forebay_domain::Ending;
use forebay_store::{NewNote, NotePage, Store};

use crate::engine::{decision, for_each_engine, found, hits, put_note, put_run, query, raw_of};

#[test]
fn a_note_is_read_back_by_reference() {
    for_each_engine(|store| {
        let text = "decided to cap raw output at 512 KB\nbecause a row holds 1 MB";
        let note = put_note(store, text, decision(Some("cap")));
        assert_eq!(raw_of(store, note.reference).unwrap(), text.as_bytes());
        assert_eq!(
            store.entry(note.reference).unwrap().note().unwrap().topic.as_deref(),
            Some("cap")
        );
    });
}

#[test]
fn a_newer_note_on_a_topic_supersedes_the_older() {
    for_each_engine(|store| {
        let old = put_note(store, "we deploy with npm", decision(Some("package manager")));
        let new = put_note(store, "we deploy with pnpm", decision(Some("package manager")));
        assert_only_newer_is_found(store, &old, &new);
    });
}

#[test]
fn a_note_can_name_what_it_supersedes() {
    for_each_engine(|store| {
        let old = put_note(store, "we deploy on fridays", decision(None));
        let replacing = NewNote { supersedes: Some(old.reference), ..decision(None) };
        let new = put_note(store, "we never deploy on fridays", replacing);
        assert_only_newer_is_found(store, &old, &new);
    });
}

#[test]
fn a_pin_is_a_state_of_a_note() {
    for_each_engine(|store| {
        let note = put_note(store, "never push on fridays", decision(Some("push")));
        let other = put_note(store, "tabs", decision(None));
        let pinned = || {
            let page = NotePage { pinned: Some(true), limit: 10, ..NotePage::default() };
            let notes = store.notes(&page).unwrap();
            notes.iter().map(|note| note.reference).collect::<Vec<_>>()
        };
        assert!(store.set_pinned(note.reference, true).unwrap());
        assert!(!store.set_pinned(note.reference, true).unwrap(), "already pinned");
        assert_eq!(pinned(), [note.reference]);
        assert!(store.set_pinned(note.reference, false).unwrap());
        assert!(!store.set_pinned(other.reference, false).unwrap(), "never pinned");
        assert!(pinned().is_empty());
        assert_eq!(store.notes(&NotePage { limit: 10, ..NotePage::default() }).unwrap().len(), 2);
    });
}

#[test]
fn one_note_supersedes_another() {
    for_each_engine(|store| {
        let kept = put_note(store, "we deploy on mondays", decision(None));
        let given_up = put_note(store, "we deploy on fridays", decision(None));
        let other = put_run(store, "make", b"ok", Ending::Exited(0)).reference;
        let (kept, given_up) = (kept.reference, given_up.reference);
        assert!(!store.supersede(kept, kept).unwrap(), "by itself");
        assert!(!store.supersede(given_up, other).unwrap(), "by what is no note");
        assert!(!store.supersede(other, kept).unwrap(), "what is no note");
        assert!(store.supersede(given_up, kept).unwrap());
        assert_eq!(found(store, "deploy"), [kept]);
        assert_eq!(store.notes_superseded_by(kept).unwrap(), [given_up]);
        assert!(!store.supersede(given_up, kept).unwrap(), "already superseded");
        assert!(!store.supersede(kept, given_up).unwrap(), "by one that is not in force");
    });
}

fn assert_only_newer_is_found(
    store: &dyn Store,
    old: &forebay_domain::Entry,
    new: &forebay_domain::Entry,
) {
    assert_eq!(found(store, "deploy"), [new.reference]);
    let hit = hits(store, &query("deploy")).remove(0);
    assert_eq!(hit.supersedes, Some(old.reference));
    let old = store.entry(old.reference).unwrap();
    assert_eq!(old.note().unwrap().superseded_by, Some(new.reference));
    assert!(raw_of(store, old.reference).is_ok(), "the older one can still be read");
}
