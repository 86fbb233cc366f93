//! The billed ledger: requests from one reporter, compactions and answers, by session.

use std::time::Duration;

use forebay_domain::billing::BilledRequest;
use forebay_domain::session::of_subagent;
use forebay_domain::treatment::{Shown, SwitchOff, Treatment};
use forebay_domain::usage::{Answered, BilledTokens, ModelRequest};
use forebay_domain::{Reference, Timestamp};
use forebay_store::{PurgeSelection, ReportedRequest, Reporter, SessionLedger, Store};

use crate::engine::{NOW, for_each_engine};

const TOKENS: BilledTokens =
    BilledTokens { input: 5, cache_read: 400, cache_write: 30, cache_write_1h: 7, output: 2 };

fn later(seconds: u64) -> Timestamp {
    NOW.plus(Duration::from_secs(seconds))
}

fn request(session: &str, id: &str, created: Timestamp, reporter: Reporter) -> ReportedRequest {
    ReportedRequest {
        session: session.to_owned(),
        client: "test".to_owned(),
        reporter,
        created,
        request: ModelRequest { id: id.to_owned(), model: "large".to_owned(), tokens: TOKENS },
    }
}

fn billed(at: Timestamp) -> BilledRequest {
    BilledRequest { at, model: "large".to_owned(), tokens: TOKENS }
}

fn answer(session: &str, tool: &str) -> Answered {
    Answered {
        tool: tool.to_owned(),
        session: session.to_owned(),
        entry: None,
        raw_tokens: 900,
        host_tokens: 500,
        delivered_tokens: 20,
        millis: 3,
    }
}

fn ledger(store: &dyn Store, session: &str) -> SessionLedger {
    store.ledgers(Some(session), None).unwrap().remove(session).unwrap_or_default()
}

#[test]
fn a_repeated_request_has_its_first_time_and_all_of_its_output() {
    for_each_engine(|store| {
        let mut part = request("s", "1", later(5), Reporter::Transcript);
        part.request.tokens.output = 1;
        let whole = request("s", "1", later(6), Reporter::Transcript);
        store.record_requests(&[part.clone(), whole, part]).unwrap();
        assert_eq!(ledger(store, "s").requests, [billed(later(5))]);
        assert_eq!(store.requests(None).unwrap().tokens, TOKENS);
    });
}

#[test]
fn a_conversation_has_one_reporter() {
    for_each_engine(|store| {
        let agent = of_subagent("s", "a");
        let host = request("s", "turn-0", NOW, Reporter::Host);
        let again = request(&agent, "msg_1", later(1), Reporter::Transcript);
        let other = request("t", "msg_2", NOW, Reporter::Transcript);
        let late = request("t", "turn-1", later(1), Reporter::Host);
        store.record_requests(&[host, again, other]).unwrap();
        store.record_requests(&[late]).unwrap();
        assert_eq!(ledger(store, "s").requests, [billed(NOW)]);
        assert_eq!(ledger(store, &agent).requests, []);
        assert_eq!(ledger(store, "t").requests, [billed(NOW)]);
    });
}

#[test]
fn a_ledger_has_all_that_happened_in_a_context() {
    for_each_engine(|store| {
        let agent = of_subagent("s", "a");
        let requests = [
            request("s", "1", later(1), Reporter::Host),
            request(&agent, "2", later(2), Reporter::Host),
            request("s-2", "3", later(3), Reporter::Host),
        ];
        store.record_requests(&requests).unwrap();
        store.record_compaction("s", later(4)).unwrap();
        store.record_compaction("s", later(4)).unwrap();
        store.record_usage(&[(answer("s", "capture"), NOW), (answer(&agent, "run"), NOW)]).unwrap();

        let ledgers = store.ledgers(Some("s"), None).unwrap();
        assert_eq!(ledgers.keys().collect::<Vec<_>>(), ["s", &agent]);
        let expect = SessionLedger {
            requests: vec![billed(later(1))],
            compactions: vec![later(4)],
            answers: vec![(answer("s", "capture"), NOW)],
            treatments: Vec::new(),
        };
        assert_eq!(ledgers["s"], expect);
        assert_eq!(ledgers[&agent].answers, [(answer(&agent, "run"), NOW)]);
        assert_eq!(store.ledgers(None, None).unwrap().len(), 3);
        assert_eq!(store.usage(Some("s")).unwrap().len(), 2, "with its subagent");
    });
}

#[test]
fn a_ledger_with_anything_since_a_time_is_whole() {
    for_each_engine(|store| {
        let requests = [
            request("s", "1", later(1), Reporter::Host),
            request("s", "2", later(100), Reporter::Host),
            request("t", "3", later(2), Reporter::Host),
        ];
        store.record_requests(&requests).unwrap();
        store.record_usage(&[(answer("u", "run"), later(60))]).unwrap();
        let since = |seconds| store.ledgers(None, Some(later(seconds))).unwrap();
        assert_eq!(since(50).keys().collect::<Vec<_>>(), ["s", "u"]);
        assert_eq!(since(50)["s"].requests, [billed(later(1)), billed(later(100))]);
        assert_eq!(since(101).len(), 0);
    });
}

fn treatment(session: &str, shown: Shown) -> Treatment {
    Treatment {
        at: NOW,
        session: session.to_owned(),
        reference: Reference::from_random([1; 16]),
        tool: "Bash".to_owned(),
        recognizer: "cargo".to_owned(),
        shown,
        host_tokens: 5_000,
        digest_tokens: 400,
        repeats: None,
    }
}

#[test]
fn a_ledger_has_what_became_of_results() {
    for_each_engine(|store| {
        let digest = Treatment {
            repeats: Some(Reference::from_random([2; 16])),
            ..treatment("s", Shown::Digest)
        };
        let agent = of_subagent("s", "a");
        store.record_treatment(&digest).unwrap();
        store.record_treatment(&treatment(&agent, Shown::HeldOut)).unwrap();
        store.record_treatment(&treatment("t", Shown::Raw)).unwrap();
        assert_eq!(ledger(store, "s").treatments, [digest]);
        let ledgers = store.ledgers(Some("s"), Some(NOW)).unwrap();
        assert_eq!(ledgers[&agent].treatments, [treatment(&agent, Shown::HeldOut)]);
        assert_eq!(store.ledgers(None, Some(NOW)).unwrap().len(), 3);
        assert_eq!(store.ledgers(None, Some(later(1))).unwrap().len(), 0);
        assert_eq!(store.digests_shown().unwrap(), 1);
    });
}

#[test]
fn treatments_of_a_session_and_its_subagents_are_read_since_a_time() {
    for_each_engine(|store| {
        let agent = of_subagent("s", "a");
        let late = Treatment { at: later(5), ..treatment(&agent, Shown::HeldOut) };
        for one in [&treatment("s", Shown::Digest), &late, &treatment("s2", Shown::Raw)] {
            store.record_treatment(one).unwrap();
        }
        let mut found = store.treatments("s", NOW).unwrap();
        found.sort_by_key(|one| one.at);
        assert_eq!(found, [treatment("s", Shown::Digest), late.clone()]);
        assert_eq!(store.treatments("s", later(5)).unwrap(), [late]);
        assert_eq!(store.treatments("s", later(6)).unwrap(), []);
    });
}

#[test]
fn an_answer_names_the_entry_that_it_is_about() {
    for_each_engine(|store| {
        let reread =
            Answered { entry: Some(Reference::from_random([3; 16])), ..answer("s", "ctx_get") };
        store.record_usage(&[(reread.clone(), NOW), (answer("s", "run"), later(1))]).unwrap();
        let mut answers = ledger(store, "s").answers;
        answers.sort_by_key(|(_, at)| *at);
        assert_eq!(answers, [(reread, NOW), (answer("s", "run"), later(1))]);
    });
}

#[test]
fn a_recognizer_is_switched_off_once() {
    for_each_engine(|store| {
        let off = |recognizer: &str, uses| SwitchOff {
            at: NOW,
            session: "s".to_owned(),
            recognizer: recognizer.to_owned(),
            uses,
            net_tokens: -900,
        };
        for one in [off("cargo", 20), off("pytest", 30), off("cargo", 40)] {
            store.record_switch_off(&one).unwrap();
        }
        assert_eq!(store.switched_off().unwrap(), [off("cargo", 20), off("pytest", 30)]);
    });
}

#[test]
fn a_ledger_is_purged_with_its_session() {
    for_each_engine(|store| {
        store.record_requests(&[request("s", "1", NOW, Reporter::Host)]).unwrap();
        store.record_compaction("s", NOW).unwrap();
        store.record_compaction("t", NOW).unwrap();
        store.record_usage(&[(answer("s", "run"), NOW), (answer("t", "run"), NOW)]).unwrap();
        store.record_treatment(&treatment("s", Shown::Digest)).unwrap();
        let selection =
            PurgeSelection { session: Some("s".to_owned()), ..PurgeSelection::default() };
        store.purge(&selection, NOW).unwrap();
        assert_eq!(ledger(store, "s"), SessionLedger::default());
        assert_eq!(ledger(store, "t").compactions, [NOW]);
    });
}
