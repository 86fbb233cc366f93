//! Events of sessions: recording, resolving and eviction.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{EntryKind, Event, EventKind, Timestamp};
use forebay_store::{EventBatch, EventPage, Expiry, PurgeSelection, Store};

use crate::engine::{NOW, for_each_engine, hits, new_entry, put, query};

fn event(kind: EventKind, subject: &str, text: &str) -> Event {
    Event { kind, subject: subject.to_owned(), text: text.to_owned() }
}

fn batch(session: &str, events: Vec<Event>) -> EventBatch {
    EventBatch {
        session: session.to_owned(),
        client: "test".to_owned(),
        branch: Some("feat/ABC-12-login".to_owned()),
        created: NOW,
        events,
        resolved: Vec::new(),
    }
}

fn page(session: &str) -> EventPage {
    EventPage { session: Some(session.to_owned()), limit: 10_000, ..EventPage::default() }
}

fn texts(store: &dyn Store, page: &EventPage) -> Vec<String> {
    store.events(page).unwrap().into_iter().map(|recorded| recorded.event.text).collect()
}

#[test]
fn lists_events_latest_first_with_branch_and_ticket() {
    for_each_engine(|store| {
        let events = vec![
            event(EventKind::Prompt, "last request", "fix it"),
            event(EventKind::FileEdited, "a.rs", "file edited"),
        ];
        store.record_events(&batch("s", events)).unwrap();
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
fn the_latest_event_on_a_subject_replaces_earlier_ones() {
    for_each_engine(|store| {
        for text in ["open: write docs", "in progress: write docs", "done"] {
            store.record_events(&batch("s", vec![event(EventKind::Task, "#1", text)])).unwrap();
        }
        let found = store.events(&page("s")).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].event.text.as_str(), found[0].times), ("done: write docs", 3));
        // Each question is kept, even if it is repeated.
        for _ in 0..2 {
            let prompt = event(EventKind::Prompt, "last request", "go on");
            store.record_events(&batch("s", vec![prompt])).unwrap();
        }
        assert_eq!(store.events(&page("s")).unwrap().len(), 3);
    });
}

#[test]
fn one_priority_does_not_crowd_out_another() {
    for_each_engine(|store| {
        let task = |number: usize| event(EventKind::Task, &number.to_string(), "open: a task");
        let error = event(EventKind::Error, "cargo test", "error[E0308]");
        store.record_events(&batch("s", vec![error])).unwrap();
        store.record_events(&batch("s", (0..40).map(task).collect())).unwrap();
        let bounded = EventPage { max_per_priority: Some(3), ..page("s") };
        let found = store.events(&bounded).unwrap();
        let subjects: Vec<&str> = found.iter().map(|found| found.event.subject.as_str()).collect();
        assert_eq!(subjects, ["39", "38", "37", "cargo test"]);
        let errors = EventPage { kinds: vec![EventKind::Error], ..bounded.clone() };
        assert_eq!(texts(store, &errors), ["error[E0308]"]);
        assert_eq!(texts(store, &EventPage { limit: 2, ..bounded }).len(), 2);
    });
}

#[test]
fn a_resolved_event_becomes_active_when_it_recurs() {
    for_each_engine(|store| {
        let failure = || event(EventKind::Error, "cargo test", "error[E0308]");
        store.record_events(&batch("s", vec![failure()])).unwrap();
        let resolved = vec![store.events(&page("s")).unwrap()[0].sequence];
        store.record_events(&EventBatch { resolved, ..batch("s", Vec::new()) }).unwrap();
        let standing = EventPage { active_only: true, ..page("s") };
        assert!(store.events(&standing).unwrap().is_empty());
        store.record_events(&batch("s", vec![failure()])).unwrap();
        assert_eq!(store.events(&standing).unwrap()[0].times, 2);
    });
}

#[test]
fn evicts_the_oldest_of_the_lowest_priority() {
    for_each_engine(|store| {
        let decision = event(EventKind::Decision, "use pnpm", "use pnpm, not npm");
        store.record_events(&batch("s", vec![decision])).unwrap();
        for round in 0..50 {
            let reads = (0..60).map(|number| {
                event(EventKind::FileRead, &format!("{round}-{number}"), "file read")
            });
            store.record_events(&batch("s", reads.collect())).unwrap();
        }
        store.record_events(&batch("other", vec![event(EventKind::Mcp, "x", "x")])).unwrap();
        let found = store.events(&page("s")).unwrap();
        assert_eq!(found.len(), 2_000);
        assert_eq!(found.last().unwrap().event.kind, EventKind::Decision);
        assert_eq!(found[0].event.subject, "49-59");
        assert_eq!(store.events(&page("other")).unwrap().len(), 1);
    });
}

#[test]
fn events_expire_with_their_session_unless_it_is_active() {
    for_each_engine(|store| {
        let old = Timestamp(NOW.0 - 100 * 86_400_000);
        let prompt = || event(EventKind::Prompt, "last request", "fix it");
        store.record_events(&EventBatch { created: old, ..batch("old", vec![prompt()]) }).unwrap();
        store.record_events(&EventBatch { created: old, ..batch("live", vec![prompt()]) }).unwrap();
        store.record_events(&batch("live", vec![event(EventKind::Mcp, "x", "x")])).unwrap();
        let expiry = Expiry { keep: Vec::new(), events: Some(days(90)), limit: 100 };
        let expired = PurgeSelection { expired: Some(expiry), ..PurgeSelection::default() };
        assert_eq!(store.preview_purge(&expired, NOW).unwrap().events, 1);
        assert_eq!(store.purge(&expired, NOW).unwrap().events, 1);
        assert!(store.events(&page("old")).unwrap().is_empty());
        assert_eq!(store.events(&page("live")).unwrap().len(), 2);

        // Purging an entry keeps the events of its session.
        let entry = put(store, new_entry(EntryKind::Run, "ls"), b"x");
        store.record_events(&batch("session-1", vec![prompt()])).unwrap();
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
fn a_mark_is_set_once_and_removed_once() {
    for_each_engine(|store| {
        assert!(store.mark("s", "advice").unwrap());
        assert!(!store.mark("s", "advice").unwrap());
        assert!(store.mark("other", "advice").unwrap());
        assert!(store.mark("s", "a second").unwrap());
        assert_eq!(store.marks("s").unwrap(), ["a second", "advice"]);
        assert!(store.marks("unknown").unwrap().is_empty());
        assert!(store.unmark("s", "advice").unwrap());
        assert!(!store.unmark("s", "advice").unwrap());
    });
}

#[test]
fn finds_entries_by_ticket() {
    for_each_engine(|store| {
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
