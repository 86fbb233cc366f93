//! Entries copied from another store are added once, under their reference, and overwrite nothing.

use forebay_domain::time::days;
use forebay_domain::{Entry, EntryKind, Reference, Timestamp};
use forebay_store::{
    Expiry, NewDetail, NewEntry, NewNote, NotePage, PurgeSelection, ReplicaOrigin,
    ReplicateOutcome, SincePage, Store,
};

use crate::engine::{NOW, decision, for_each_engine, new_entry, put, put_note, raw_of};

const THERE: &str = "aaaaaaaaaa";
const LATER: &str = "bbbbbbbbbb";

fn replicate(store: &dyn Store, reference: &str, text: &str, new: NewEntry) -> ReplicateOutcome {
    let supersedes = match &new.detail {
        NewDetail::Note(note) => note.supersedes.into_iter().collect(),
        _ => Vec::new(),
    };
    replicate_superseding(store, reference, text, new, supersedes)
}

fn replicate_superseding(
    store: &dyn Store,
    reference: &str,
    text: &str,
    new: NewEntry,
    supersedes: Vec<Reference>,
) -> ReplicateOutcome {
    let reference = Reference::parse(reference).unwrap();
    let origin = ReplicaOrigin { reference, supersedes, restores_purged: false };
    let mut upload = store.upload().unwrap();
    upload.write(text.as_bytes()).unwrap();
    upload.finish_replica(NewEntry { has_all_chunks: false, ..new }, &origin).unwrap()
}

fn replicate_note(
    store: &dyn Store,
    reference: &str,
    text: &str,
    note: NewNote,
) -> ReplicateOutcome {
    let mut new = new_entry(EntryKind::Note, text);
    new.detail = NewDetail::Note(note);
    replicate(store, reference, text, new)
}

#[track_caller]
fn added(outcome: ReplicateOutcome) -> Entry {
    match outcome {
        ReplicateOutcome::Added(entry) => *entry,
        other => panic!("{other:?}"),
    }
}

fn active_notes(store: &dyn Store) -> Vec<Entry> {
    store.notes(&NotePage { limit: 100, ..NotePage::default() }).unwrap()
}

#[test]
fn an_entry_keeps_its_reference_and_is_added_once() {
    for_each_engine(|store| {
        let note = NewNote { pinned: true, author: "ann".to_owned(), ..decision(Some("db")) };
        let entry = added(replicate_note(store, THERE, "we use SQLite", note.clone()));
        assert_eq!(entry.reference.as_str(), THERE);
        let kept = store.entry(entry.reference).unwrap();
        assert_eq!(kept, entry);
        let detail = kept.note().unwrap();
        assert_eq!((detail.pinned, detail.author.as_str()), (true, "ann"));
        let again = replicate_note(store, THERE, "we use SQLite", note);
        assert_eq!(again, ReplicateOutcome::AlreadyPresent(entry.reference));
        assert_eq!(active_notes(store).len(), 1);
    });
}

#[test]
fn other_content_under_a_used_reference_gets_a_new_one() {
    for_each_engine(|store| {
        let first = added(replicate(store, THERE, "one", new_entry(EntryKind::Run, "a")));
        let second = added(replicate(store, THERE, "two", new_entry(EntryKind::Run, "a")));
        assert_ne!(second.reference, first.reference);
        assert_eq!(second.conflicts, Some(first.reference));
        assert_eq!(store.entry(first.reference).unwrap().conflicts, Some(second.reference));
        assert_eq!(raw_of(store, first.reference).unwrap(), b"one");
        assert_eq!(raw_of(store, second.reference).unwrap(), b"two");
        let again = replicate(store, THERE, "two", new_entry(EntryKind::Run, "a"));
        assert_eq!(
            again,
            ReplicateOutcome::AlreadyPresent(second.reference),
            "it does not come a third time"
        );
    });
}

#[test]
fn a_newer_version_replaces_a_copied_source_but_not_a_local_one() {
    for_each_engine(|store| {
        let version =
            || NewEntry { source: "docs/a.md".into(), ..new_entry(EntryKind::Source, "a") };
        let first = added(replicate(store, THERE, "one", version()));
        let second = added(replicate(store, LATER, "two", version()));
        assert!(store.entry(first.reference).is_err(), "it was replaced");
        assert_eq!(second.conflicts, None);
        let own = put(store, version(), b"mine");
        let third = added(replicate(store, "cccccccccc", "three", version()));
        assert_eq!(third.conflicts, Some(own.reference));
        assert_eq!(raw_of(store, own.reference).unwrap(), b"mine");
    });
}

#[test]
fn a_large_entry_uploaded_in_parts_keeps_its_reference() {
    for_each_engine(|store| {
        let text = "a line of a long run\n".repeat(200_000);
        let run = added(replicate(store, THERE, &text, new_entry(EntryKind::Run, "make")));
        assert_eq!((run.reference.as_str(), run.bytes), (THERE, text.len() as u64));
        assert_eq!(raw_of(store, run.reference).unwrap().len(), text.len());
        let again = replicate(store, THERE, &text, new_entry(EntryKind::Run, "make"));
        assert_eq!(again, ReplicateOutcome::AlreadyPresent(run.reference));
        let all = store.entries_since(&SincePage { limit: 10, ..SincePage::default() }).unwrap();
        assert_eq!(all.len(), 1, "what was known leaves nothing half done");
    });
}

#[test]
fn a_purged_entry_is_added_again_only_on_request() {
    for_each_engine(|store| {
        let entry = added(replicate_note(store, THERE, "purge me", decision(None)));
        let all = PurgeSelection { references: vec![entry.reference], ..PurgeSelection::default() };
        store.purge(&all, NOW).unwrap();
        assert_eq!(
            replicate_note(store, THERE, "purge me", decision(None)),
            ReplicateOutcome::Purged
        );
        let mut upload = store.upload().unwrap();
        upload.write(b"purge me").unwrap();
        let mut new = new_entry(EntryKind::Note, "purge me");
        new.detail = NewDetail::Note(decision(None));
        let origin = ReplicaOrigin {
            reference: entry.reference,
            supersedes: Vec::new(),
            restores_purged: true,
        };
        assert_eq!(added(upload.finish_replica(new, &origin).unwrap()).reference, entry.reference);
    });
}

#[test]
fn a_note_supersedes_what_it_superseded_at_its_origin() {
    for_each_engine(|store| {
        let older = added(replicate_note(store, THERE, "npm", decision(Some("manager"))));
        let newer = NewNote { supersedes: Some(older.reference), ..decision(Some("manager")) };
        let newer = added(replicate_note(store, LATER, "pnpm", newer));
        assert_eq!(newer.note().unwrap().supersedes, Some(older.reference));
        assert_eq!(newer.conflicts, None);
        let notes = active_notes(store);
        assert_eq!(notes.iter().map(|note| note.reference).collect::<Vec<_>>(), [newer.reference]);
    });
}

#[test]
fn independent_notes_on_a_topic_conflict() {
    for_each_engine(|store| {
        let own = put_note(store, "Postgres", decision(Some("db")));
        let other = added(replicate_note(store, THERE, "SQLite", decision(Some("db"))));
        assert_eq!(other.conflicts, Some(own.reference));
        assert_eq!(store.entry(own.reference).unwrap().conflicts, Some(other.reference));
        assert_eq!(active_notes(store).len(), 2);
        // Resolving the conflict for one note resolves it for both.
        let resolved = put_note(store, "SQLite it is", decision(Some("db")));
        assert_eq!(active_notes(store).len(), 1);
        assert_eq!(store.entry(resolved.reference).unwrap().conflicts, None);
    });
}

#[test]
fn two_successors_of_one_note_conflict() {
    for_each_engine(|store| {
        let first = added(replicate_note(store, THERE, "grey", decision(None)));
        let superseding = || NewNote { supersedes: Some(first.reference), ..decision(None) };
        let own = put_note(store, "brown", superseding());
        let other = added(replicate_note(store, LATER, "white", superseding()));
        assert_eq!(other.conflicts, Some(own.reference));
        assert_eq!(active_notes(store).len(), 2);
    });
}

#[test]
fn a_resolved_conflict_is_resolved_in_copies() {
    for_each_engine(|store| {
        let own = put_note(store, "Postgres", decision(Some("db")));
        let other = added(replicate_note(store, THERE, "SQLite", decision(Some("db"))));
        let mut new = new_entry(EntryKind::Note, "SQLite it is");
        new.detail = NewDetail::Note(decision(Some("db")));
        let both = vec![own.reference, other.reference];
        let resolved =
            added(replicate_superseding(store, LATER, "SQLite it is", new, both.clone()));
        assert_eq!(active_notes(store).len(), 1);
        assert_eq!(resolved.conflicts, None);
        assert_eq!(store.notes_superseded_by(resolved.reference).unwrap(), both);
    });
}

#[test]
fn superseding_one_of_two_conflicting_notes_keeps_the_other() {
    for_each_engine(|store| {
        let own = put_note(store, "a flat file", decision(Some("db")));
        let first = added(replicate_note(store, THERE, "Postgres", decision(Some("db"))));
        let second = NewNote { supersedes: Some(first.reference), ..decision(Some("db")) };
        let second = added(replicate_note(store, LATER, "SQLite", second));
        assert_eq!(second.conflicts, Some(own.reference));
        assert_eq!(active_notes(store).len(), 2, "its author did not know of the one here");
    });
}

#[test]
fn lists_entries_oldest_first() {
    for_each_engine(|store| {
        let first = put_note(store, "first", decision(None));
        put(store, new_entry(EntryKind::Source, "b"), b"b");
        let third = put_note(store, "third", decision(None));
        let page = |after| SincePage { after, kinds: vec![EntryKind::Note], limit: 1 };
        let one = store.entries_since(&page(0)).unwrap();
        assert_eq!(one[0].reference, first.reference);
        assert_eq!(
            store.entries_since(&page(one[0].sequence)).unwrap()[0].reference,
            third.reference
        );
        assert!(store.entries_since(&page(third.sequence)).unwrap().is_empty());
    });
}

#[test]
fn listing_stops_before_an_unfinished_entry() {
    for_each_engine(|store| {
        let mut slow = store.upload().unwrap();
        slow.write(&vec![b'x'; 4 << 20]).unwrap();
        put_note(store, "quick", decision(None));
        let page = SincePage { limit: 10, ..SincePage::default() };
        let seen = store.entries_since(&page).unwrap();
        slow.finish(new_entry(EntryKind::Run, "slow")).unwrap();
        let after = seen.last().map_or(0, |entry| entry.sequence);
        let then = store.entries_since(&SincePage { after, ..page }).unwrap();
        assert_eq!(seen.len() + then.len(), 2, "each is seen once: {seen:?} {then:?}");
    });
}

#[test]
fn lists_pinned_notes_separately_and_never_expires_them() {
    for_each_engine(|store| {
        let pinned = NewNote { pinned: true, ..decision(None) };
        let pinned = put_note(store, "pinned", pinned);
        put_note(store, "ordinary", decision(None));
        let page = |pinned| NotePage { pinned: Some(pinned), limit: 10, ..NotePage::default() };
        let listed = store.notes(&page(true)).unwrap();
        assert_eq!(listed[0].reference, pinned.reference);
        assert_eq!((listed.len(), store.notes(&page(false)).unwrap().len()), (1, 1));
        let old = Expiry { keep: vec![(EntryKind::Note, days(1))], events: None, limit: 10 };
        let old = PurgeSelection { expired: Some(old), ..PurgeSelection::default() };
        let later = Timestamp(NOW.0 + days(90).as_millis() as i64);
        assert_eq!(store.purge(&old, later).unwrap().entries, 1);
        assert!(store.entry(pinned.reference).is_ok());
    });
}
