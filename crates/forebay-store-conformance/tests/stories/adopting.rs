//! Entries that another store made are adopted: once, under their reference, and nothing is overwritten.

use forebay_domain::time::days;
use forebay_domain::{Entry, EntryKind, Reference, Timestamp};
use forebay_store::{
    Expiry, NewDetail, NewEntry, NewNote, NotePage, PurgeSelection, ReplicaOrigin,
    ReplicateOutcome, SincePage, Store,
};

use crate::engine::{NOW, decision, new_entry, on_every_engine, put, put_note, raw_of};

const THERE: &str = "aaaaaaaaaa";
const LATER: &str = "bbbbbbbbbb";

fn adopt(store: &dyn Store, reference: &str, text: &str, new: NewEntry) -> ReplicateOutcome {
    let replaces = match &new.detail {
        NewDetail::Note(note) => note.supersedes.into_iter().collect(),
        _ => Vec::new(),
    };
    adopt_replacing(store, reference, text, new, replaces)
}

fn adopt_replacing(
    store: &dyn Store,
    reference: &str,
    text: &str,
    new: NewEntry,
    replaces: Vec<Reference>,
) -> ReplicateOutcome {
    let reference = Reference::parse(reference).unwrap();
    let origin = ReplicaOrigin { reference, replaces, revives: false };
    let mut upload = store.upload().unwrap();
    upload.write(text.as_bytes()).unwrap();
    upload.adopt(NewEntry { chunks_are_complete: false, ..new }, &origin).unwrap()
}

fn adopt_note(store: &dyn Store, reference: &str, text: &str, note: NewNote) -> ReplicateOutcome {
    let mut new = new_entry(EntryKind::Note, text);
    new.detail = NewDetail::Note(note);
    adopt(store, reference, text, new)
}

#[track_caller]
fn added(adopted: ReplicateOutcome) -> Entry {
    match adopted {
        ReplicateOutcome::Added(entry) => *entry,
        other => panic!("{other:?}"),
    }
}

fn in_force(store: &dyn Store) -> Vec<Entry> {
    store.notes(&NotePage { limit: 100, ..NotePage::default() }).unwrap()
}

#[test]
fn an_entry_keeps_its_reference_and_comes_once() {
    on_every_engine(|store| {
        let note = NewNote { pinned: true, author: "ann".to_owned(), ..decision(Some("db")) };
        let entry = added(adopt_note(store, THERE, "we use SQLite", note.clone()));
        assert_eq!(entry.reference.as_str(), THERE);
        let kept = store.entry(entry.reference).unwrap();
        assert_eq!(kept, entry);
        let detail = kept.note().unwrap();
        assert_eq!((detail.pinned, detail.author.as_str()), (true, "ann"));
        let again = adopt_note(store, THERE, "we use SQLite", note);
        assert_eq!(again, ReplicateOutcome::Known(entry.reference));
        assert_eq!(in_force(store).len(), 1);
    });
}

#[test]
fn another_content_under_a_known_reference_is_kept_beside_it() {
    on_every_engine(|store| {
        let first = added(adopt(store, THERE, "one", new_entry(EntryKind::Run, "a")));
        let second = added(adopt(store, THERE, "two", new_entry(EntryKind::Run, "a")));
        assert_ne!(second.reference, first.reference);
        assert_eq!(second.conflicts, Some(first.reference));
        assert_eq!(store.entry(first.reference).unwrap().conflicts, Some(second.reference));
        assert_eq!(raw_of(store, first.reference).unwrap(), b"one");
        assert_eq!(raw_of(store, second.reference).unwrap(), b"two");
        let again = adopt(store, THERE, "two", new_entry(EntryKind::Run, "a"));
        assert_eq!(
            again,
            ReplicateOutcome::Known(second.reference),
            "it does not come a third time"
        );
    });
}

#[test]
fn a_newer_version_of_a_source_replaces_the_one_that_came_and_not_the_one_made_here() {
    on_every_engine(|store| {
        let version =
            || NewEntry { source: "docs/a.md".into(), ..new_entry(EntryKind::Source, "a") };
        let first = added(adopt(store, THERE, "one", version()));
        let second = added(adopt(store, LATER, "two", version()));
        assert!(store.entry(first.reference).is_err(), "it was replaced");
        assert_eq!(second.conflicts, None);
        let own = put(store, version(), b"mine");
        let third = added(adopt(store, "cccccccccc", "three", version()));
        assert_eq!(third.conflicts, Some(own.reference));
        assert_eq!(raw_of(store, own.reference).unwrap(), b"mine");
    });
}

#[test]
fn a_large_entry_arrives_in_pieces_under_its_reference() {
    on_every_engine(|store| {
        let text = "a line of a long run\n".repeat(200_000);
        let run = added(adopt(store, THERE, &text, new_entry(EntryKind::Run, "make")));
        assert_eq!((run.reference.as_str(), run.bytes), (THERE, text.len() as u64));
        assert_eq!(raw_of(store, run.reference).unwrap().len(), text.len());
        let again = adopt(store, THERE, &text, new_entry(EntryKind::Run, "make"));
        assert_eq!(again, ReplicateOutcome::Known(run.reference));
        let all = store.since(&SincePage { limit: 10, ..SincePage::default() }).unwrap();
        assert_eq!(all.len(), 1, "what was known leaves nothing half done");
    });
}

#[test]
fn what_was_forgotten_stays_so_unless_it_is_wanted_back() {
    on_every_engine(|store| {
        let entry = added(adopt_note(store, THERE, "forget me", decision(None)));
        let all = PurgeSelection { references: vec![entry.reference], ..PurgeSelection::default() };
        store.purge(&all, NOW).unwrap();
        assert_eq!(
            adopt_note(store, THERE, "forget me", decision(None)),
            ReplicateOutcome::Forgotten
        );
        let mut upload = store.upload().unwrap();
        upload.write(b"forget me").unwrap();
        let mut new = new_entry(EntryKind::Note, "forget me");
        new.detail = NewDetail::Note(decision(None));
        let origin =
            ReplicaOrigin { reference: entry.reference, replaces: Vec::new(), revives: true };
        assert_eq!(added(upload.adopt(new, &origin).unwrap()).reference, entry.reference);
    });
}

#[test]
fn a_note_replaces_what_it_replaced_where_it_was_written() {
    on_every_engine(|store| {
        let older = added(adopt_note(store, THERE, "npm", decision(Some("manager"))));
        let newer = NewNote { supersedes: Some(older.reference), ..decision(Some("manager")) };
        let newer = added(adopt_note(store, LATER, "pnpm", newer));
        assert_eq!(newer.note().unwrap().supersedes, Some(older.reference));
        assert_eq!(newer.conflicts, None);
        let notes = in_force(store);
        assert_eq!(notes.iter().map(|note| note.reference).collect::<Vec<_>>(), [newer.reference]);
    });
}

#[test]
fn notes_written_apart_from_each_other_both_stay_and_are_marked() {
    on_every_engine(|store| {
        let own = put_note(store, "Postgres", decision(Some("db")));
        let other = added(adopt_note(store, THERE, "SQLite", decision(Some("db"))));
        assert_eq!(other.conflicts, Some(own.reference));
        assert_eq!(store.entry(own.reference).unwrap().conflicts, Some(other.reference));
        assert_eq!(in_force(store).len(), 2);
        // Whoever settles it for one settles it for both.
        let settled = put_note(store, "SQLite it is", decision(Some("db")));
        assert_eq!(in_force(store).len(), 1);
        assert_eq!(store.entry(settled.reference).unwrap().conflicts, None);
    });
}

#[test]
fn two_successors_of_one_note_are_marked() {
    on_every_engine(|store| {
        let first = added(adopt_note(store, THERE, "grey", decision(None)));
        let replacing = || NewNote { supersedes: Some(first.reference), ..decision(None) };
        let own = put_note(store, "brown", replacing());
        let other = added(adopt_note(store, LATER, "white", replacing()));
        assert_eq!(other.conflicts, Some(own.reference));
        assert_eq!(in_force(store).len(), 2);
    });
}

#[test]
fn settling_a_conflict_travels_with_the_note_that_settled_it() {
    on_every_engine(|store| {
        let own = put_note(store, "Postgres", decision(Some("db")));
        let other = added(adopt_note(store, THERE, "SQLite", decision(Some("db"))));
        let mut new = new_entry(EntryKind::Note, "SQLite it is");
        new.detail = NewDetail::Note(decision(Some("db")));
        let both = vec![own.reference, other.reference];
        let settled = added(adopt_replacing(store, LATER, "SQLite it is", new, both.clone()));
        assert_eq!(in_force(store).len(), 1);
        assert_eq!(settled.conflicts, None);
        assert_eq!(store.replaced_by(settled.reference).unwrap(), both);
    });
}

#[test]
fn what_replaced_one_of_two_elsewhere_does_not_replace_the_other_here() {
    on_every_engine(|store| {
        let own = put_note(store, "a flat file", decision(Some("db")));
        let first = added(adopt_note(store, THERE, "Postgres", decision(Some("db"))));
        let second = NewNote { supersedes: Some(first.reference), ..decision(Some("db")) };
        let second = added(adopt_note(store, LATER, "SQLite", second));
        assert_eq!(second.conflicts, Some(own.reference));
        assert_eq!(in_force(store).len(), 2, "its author did not know of the one here");
    });
}

#[test]
fn entries_are_listed_from_the_oldest_on() {
    on_every_engine(|store| {
        let first = put_note(store, "first", decision(None));
        put(store, new_entry(EntryKind::Source, "b"), b"b");
        let third = put_note(store, "third", decision(None));
        let page = |after| SincePage { after, kinds: vec![EntryKind::Note], limit: 1 };
        let one = store.since(&page(0)).unwrap();
        assert_eq!(one[0].reference, first.reference);
        assert_eq!(store.since(&page(one[0].sequence)).unwrap()[0].reference, third.reference);
        assert!(store.since(&page(third.sequence)).unwrap().is_empty());
    });
}

#[test]
fn nobody_passes_an_entry_that_is_still_on_its_way() {
    on_every_engine(|store| {
        let mut slow = store.upload().unwrap();
        slow.write(&vec![b'x'; 4 << 20]).unwrap();
        put_note(store, "quick", decision(None));
        let page = SincePage { limit: 10, ..SincePage::default() };
        let seen = store.since(&page).unwrap();
        slow.finish(new_entry(EntryKind::Run, "slow")).unwrap();
        let after = seen.last().map_or(0, |entry| entry.sequence);
        let then = store.since(&SincePage { after, ..page }).unwrap();
        assert_eq!(seen.len() + then.len(), 2, "each is seen once: {seen:?} {then:?}");
    });
}

#[test]
fn pinned_notes_are_listed_apart_and_do_not_expire() {
    on_every_engine(|store| {
        let pinned = NewNote { pinned: true, ..decision(None) };
        let pinned = put_note(store, "pinned", pinned);
        put_note(store, "ordinary", decision(None));
        let page = |pinned| NotePage { pinned: Some(pinned), limit: 10, ..NotePage::default() };
        let listed = store.notes(&page(true)).unwrap();
        assert_eq!(listed[0].reference, pinned.reference);
        assert_eq!((listed.len(), store.notes(&page(false)).unwrap().len()), (1, 1));
        let old = Expiry { keep: vec![(EntryKind::Note, days(1))], events: None, at_most: 10 };
        let old = PurgeSelection { expired: Some(old), ..PurgeSelection::default() };
        let later = Timestamp(NOW.0 + days(90).as_millis() as i64);
        assert_eq!(store.purge(&old, later).unwrap().entries, 1);
        assert!(store.entry(pinned.reference).is_ok());
    });
}
