//! Stories of sessions: what happened, what of it still stands, and what goes when it is too much.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{EntryKind, Event, EventKind, Timestamp};
use forebay_store::{EventBatch, EventPage, Expiry, PurgeSelection, Store};

use crate::engine::{NOW, hits, new_entry, on_every_engine, put, query};

fn event(kind: EventKind, subject: &str, text: &str) -> Event {
    Event { kind, subject: subject.to_owned(), text: text.to_owned() }
}

fn happened(session: &str, events: Vec<Event>) -> EventBatch {
    EventBatch {
        session: session.to_owned(),
        client: "test".to_owned(),
        branch: Some("feat/ABC-12-login".to_owned()),
        created: NOW,
        events,
        settled: Vec::new(),
    }
}

fn page(session: &str) -> EventPage {
    EventPage { session: Some(session.to_owned()), limit: 10_000, ..EventPage::default() }
}

fn texts(store: &dyn Store, page: &EventPage) -> Vec<String> {
    store.events(page).unwrap().into_iter().map(|recorded| recorded.event.text).collect()
}

#[test]
fn events_are_told_latest_first_with_branch_and_ticket() {
    on_every_engine(|store| {
        let events = vec![
            event(EventKind::Prompt, "last request", "fix it"),
            event(EventKind::FileEdited, "a.rs", "file edited"),
        ];
        store.remember(&happened("s", events)).unwrap();
        let found = store.events(&page("s")).unwrap();
        assert_eq!(found[0].event.subject, "a.rs");
        assert_eq!(found[1].event.text, "fix it");
        assert_eq!(found[0].ticket.as_deref(), Some("ABC-12"));
        assert_eq!(found[0].branch.as_deref(), Some("feat/ABC-12-login"));
        assert!(store.events(&page("another")).unwrap().is_empty());
        let older = EventPage { before: Some(found[0].sequence), ..page("s") };
        assert_eq!(texts(store, &older), ["fix it"]);
    });
}

#[test]
fn the_last_of_a_subject_says_how_it_stands() {
    on_every_engine(|store| {
        for text in ["open: write docs", "in progress: write docs", "done"] {
            store.remember(&happened("s", vec![event(EventKind::Task, "#1", text)])).unwrap();
        }
        let found = store.events(&page("s")).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].event.text.as_str(), found[0].times), ("done: write docs", 3));
        // What was asked is kept each time, also in the same words.
        for _ in 0..2 {
            let prompt = event(EventKind::Prompt, "last request", "go on");
            store.remember(&happened("s", vec![prompt])).unwrap();
        }
        assert_eq!(store.events(&page("s")).unwrap().len(), 3);
    });
}

#[test]
fn many_of_one_priority_do_not_stand_in_the_way_of_another() {
    on_every_engine(|store| {
        let task = |number: usize| event(EventKind::Task, &number.to_string(), "open: a task");
        let error = event(EventKind::Error, "cargo test", "error[E0308]");
        store.remember(&happened("s", vec![error])).unwrap();
        store.remember(&happened("s", (0..40).map(task).collect())).unwrap();
        let bounded = EventPage { of_each_priority: Some(3), ..page("s") };
        let found = store.events(&bounded).unwrap();
        let subjects: Vec<&str> = found.iter().map(|found| found.event.subject.as_str()).collect();
        assert_eq!(subjects, ["39", "38", "37", "cargo test"]);
        let errors = EventPage { kinds: vec![EventKind::Error], ..bounded.clone() };
        assert_eq!(texts(store, &errors), ["error[E0308]"]);
        assert_eq!(texts(store, &EventPage { limit: 2, ..bounded }).len(), 2);
    });
}

#[test]
fn what_is_settled_no_longer_stands_until_it_happens_again() {
    on_every_engine(|store| {
        let failure = || event(EventKind::Error, "cargo test", "error[E0308]");
        store.remember(&happened("s", vec![failure()])).unwrap();
        let settled = vec![store.events(&page("s")).unwrap()[0].sequence];
        store.remember(&EventBatch { settled, ..happened("s", Vec::new()) }).unwrap();
        let standing = EventPage { standing_only: true, ..page("s") };
        assert!(store.events(&standing).unwrap().is_empty());
        store.remember(&happened("s", vec![failure()])).unwrap();
        assert_eq!(store.events(&standing).unwrap()[0].times, 2);
    });
}

#[test]
fn the_least_worthy_go_first_and_of_them_the_oldest() {
    on_every_engine(|store| {
        let decision = event(EventKind::Decision, "use pnpm", "use pnpm, not npm");
        store.remember(&happened("s", vec![decision])).unwrap();
        for batch in 0..50 {
            let reads = (0..60).map(|number| {
                event(EventKind::FileRead, &format!("{batch}-{number}"), "file read")
            });
            store.remember(&happened("s", reads.collect())).unwrap();
        }
        store.remember(&happened("other", vec![event(EventKind::Mcp, "x", "x")])).unwrap();
        let found = store.events(&page("s")).unwrap();
        assert_eq!(found.len(), 2_000);
        assert_eq!(found.last().unwrap().event.kind, EventKind::Decision);
        assert_eq!(found[0].event.subject, "49-59");
        assert_eq!(store.events(&page("other")).unwrap().len(), 1);
    });
}

#[test]
fn events_go_with_their_session_and_never_while_it_is_at_work() {
    on_every_engine(|store| {
        let old = Timestamp(NOW.0 - 100 * 86_400_000);
        let prompt = || event(EventKind::Prompt, "last request", "fix it");
        store.remember(&EventBatch { created: old, ..happened("old", vec![prompt()]) }).unwrap();
        store.remember(&EventBatch { created: old, ..happened("live", vec![prompt()]) }).unwrap();
        store.remember(&happened("live", vec![event(EventKind::Mcp, "x", "x")])).unwrap();
        let expiry = Expiry { keep: Vec::new(), events: Some(days(90)), at_most: 100 };
        let expired = PurgeSelection { expired: Some(expiry), ..PurgeSelection::default() };
        assert_eq!(store.preview_purge(&expired, NOW).unwrap().events, 1);
        assert_eq!(store.purge(&expired, NOW).unwrap().events, 1);
        assert!(store.events(&page("old")).unwrap().is_empty());
        assert_eq!(store.events(&page("live")).unwrap().len(), 2);

        // An entry that is forgotten does not take the events of its session with it.
        let entry = put(store, new_entry(EntryKind::Run, "ls"), b"x");
        store.remember(&happened("session-1", vec![prompt()])).unwrap();
        let one = PurgeSelection { references: vec![entry.reference], ..PurgeSelection::default() };
        assert_eq!(store.purge(&one, NOW).unwrap().events, 0);
        assert_eq!(store.events(&page("session-1")).unwrap().len(), 1);
        assert!(store.sessions(10).unwrap().iter().any(|facts| facts.key == "session-1"));

        let live = PurgeSelection { session: Some("live".to_owned()), ..PurgeSelection::default() };
        assert_eq!(store.purge(&live, NOW).unwrap().events, 2);
        let aged = PurgeSelection { older_than: Some(Duration::ZERO), ..PurgeSelection::default() };
        assert_eq!(store.preview_purge(&aged, Timestamp(NOW.0 + 1)).unwrap().events, 1);
    });
}

#[test]
fn a_mark_is_set_once_and_taken_once() {
    on_every_engine(|store| {
        assert!(store.mark("s", "advice").unwrap());
        assert!(!store.mark("s", "advice").unwrap());
        assert!(store.mark("other", "advice").unwrap());
        assert!(store.unmark("s", "advice").unwrap());
        assert!(!store.unmark("s", "advice").unwrap());
    });
}

#[test]
fn entries_are_found_by_their_ticket() {
    on_every_engine(|store| {
        let mut new = new_entry(EntryKind::Run, "login");
        new.branch = Some("feat/ABC-12-login".to_owned());
        let entry = put(store, new, b"needle here\n");
        put(store, new_entry(EntryKind::Run, "elsewhere"), b"needle there\n");
        let mut wanted = query("needle");
        wanted.ticket = Some("ABC-12".to_owned());
        let found: Vec<_> = hits(store, &wanted).into_iter().map(|hit| hit.reference).collect();
        assert_eq!(found, [entry.reference]);
    });
}
