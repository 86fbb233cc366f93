//! Requests to the model: counted once, summed by conversation, kept as long as events.

use std::time::Duration;

use forebay_domain::session::of_subagent;
use forebay_domain::time::days;
use forebay_domain::usage::{BilledTokens, ModelRequest, RequestTotals};
use forebay_domain::{Ending, Timestamp};
use forebay_store::{Expiry, PurgeSelection, ReportedRequest, Reporter, Store, Usage as _};
use forebay_store_postgres::PostgresStore;

use crate::engine::{NOW, for_each_engine, on_postgres, put_run};

const TOKENS: BilledTokens = BilledTokens {
    input: 5,
    cache_read: 40_000_000_000,
    cache_write: 300,
    cache_write_1h: 0,
    output: 2,
};

fn report(store: &dyn Store, session: &str, id: &str, created: Timestamp) {
    let request = ModelRequest { id: id.to_owned(), model: "large".to_owned(), tokens: TOKENS };
    let reported = ReportedRequest {
        session: session.to_owned(),
        client: "test".to_owned(),
        reporter: Reporter::Host,
        created,
        request,
    };
    store.record_requests(&[reported]).unwrap();
}

fn times(requests: u64) -> RequestTotals {
    let tokens = BilledTokens {
        input: TOKENS.input * requests,
        cache_read: TOKENS.cache_read * requests,
        cache_write: TOKENS.cache_write * requests,
        cache_write_1h: TOKENS.cache_write_1h * requests,
        output: TOKENS.output * requests,
    };
    RequestTotals { requests, tokens }
}

fn later(span: Duration) -> Timestamp {
    Timestamp(NOW.0 + span.as_millis() as i64)
}

#[test]
fn a_request_counts_once() {
    for_each_engine(|store| {
        assert_eq!(store.requests(None).unwrap(), times(0));
        report(store, "s", "turn-0", NOW);
        report(store, "s", "turn-0", later(days(1)));
        report(store, "s", "turn-1", NOW);
        assert_eq!(store.requests(None).unwrap(), times(2));
    });
}

#[test]
fn a_conversation_includes_its_subagents() {
    for_each_engine(|store| {
        report(store, "s", "1", NOW);
        report(store, &of_subagent("s", "a"), "2", NOW);
        report(store, "s-2", "3", NOW);
        report(store, &of_subagent("S", "a"), "4", NOW);
        let of = |session: &str| store.requests(Some(session)).unwrap();
        assert_eq!([of("s"), of("s-2"), of("other")], [times(2), times(1), times(0)]);
        assert_eq!(of(&of_subagent("s", "a")), times(1));
        assert_eq!(store.requests(None).unwrap(), times(4));
        let keys = store.sessions(10).unwrap().into_iter().map(|session| session.key);
        assert!(keys.into_iter().any(|key| key == of_subagent("s", "a")), "a purge finds it");
    });
}

#[test]
fn requests_are_purged_with_their_session_or_by_age() {
    for_each_engine(|store| {
        report(store, "s", "1", NOW);
        report(store, "t", "2", NOW);
        report(store, "t", "3", later(days(5)));
        let purge = |selection: PurgeSelection, now| {
            let preview = store.preview_purge(&selection, now).unwrap();
            assert_eq!(store.purge(&selection, now).unwrap(), preview);
            preview.events
        };
        let of_session =
            PurgeSelection { session: Some("s".to_owned()), ..PurgeSelection::default() };
        assert_eq!(purge(of_session, NOW), 1);
        assert_eq!(store.requests(Some("s")).unwrap(), times(0));
        let old = PurgeSelection { older_than: Some(days(3)), ..PurgeSelection::default() };
        assert_eq!(purge(old, later(days(6))), 1);
        assert_eq!(store.requests(Some("t")).unwrap(), times(1));
        let all = PurgeSelection { everything: true, ..PurgeSelection::default() };
        assert_eq!(purge(all, NOW), 1);
        assert_eq!(store.requests(None).unwrap(), times(0));
        assert_eq!(store.stats().unwrap().sessions, 0, "a session without anything is deleted");
    });
}

#[test]
fn requests_outlive_the_entries_of_their_session() {
    for_each_engine(|store| {
        let run = put_run(store, "make", b"out", Ending::Exited(0));
        report(store, "session-1", "1", NOW);
        let selection =
            PurgeSelection { references: vec![run.reference], ..PurgeSelection::default() };
        assert_eq!(store.purge(&selection, NOW).unwrap().count(), 1);
        assert_eq!(store.requests(Some("session-1")).unwrap(), times(1));
    });
}

#[test]
fn requests_expire_as_events_do() {
    for_each_engine(|store| {
        report(store, "old", "1", NOW);
        report(store, "active", "2", NOW);
        report(store, "active", "3", later(days(90)));
        let expired = |events| PurgeSelection {
            expired: Some(Expiry { events, limit: 100, ..Expiry::default() }),
            ..PurgeSelection::default()
        };
        let purge = |events| store.purge(&expired(events), later(days(90))).unwrap().events;
        assert_eq!([purge(None), purge(Some(days(100)))], [0, 0]);
        assert_eq!(purge(Some(days(30))), 1);
        assert_eq!(store.requests(Some("old")).unwrap(), times(0));
        assert_eq!(store.requests(Some("active")).unwrap(), times(2), "it is in use");
    });
}

#[test]
fn projects_on_a_server_count_apart() {
    on_postgres(|address| {
        let [one, other] =
            ["one", "other"].map(|project| PostgresStore::open(address, project).unwrap());
        report(&one, "s", "1", NOW);
        report(&other, "s", "1", NOW);
        report(&other, &"é".repeat(5_000), &"x".repeat(5_000), NOW);
        assert_eq!(one.requests(None).unwrap(), times(1));
        assert_eq!(other.requests(None).unwrap(), times(2));
    });
}
