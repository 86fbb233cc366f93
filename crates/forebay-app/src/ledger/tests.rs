//! Sessions whose figures are computed by hand.

use std::collections::BTreeMap;

use forebay_domain::billing::{BilledRequest, Difference, Money, PriceList, Span};
use forebay_domain::treatment::{Shown, Treatment};
use forebay_domain::usage::{Answered, BilledTokens};
use forebay_domain::{Reference, Timestamp};
use forebay_store::SessionLedger;

use super::account::{Account, REREAD};
use super::holdout::{self, Compared, Measure, Moments};
use super::uses::{Ledgers, Use, contexts, uses};
use super::verdicts::{MIN_USES, Verdict, verdicts};

/// Dollars per million: 3 input, 0.3 cache read, 3.75 cache write, 15 output.
const SONNET: &str = "claude-sonnet-4-5";

fn request(at: i64, cache_read: u64, cache_write: u64) -> BilledRequest {
    let tokens = BilledTokens { cache_read, cache_write, ..BilledTokens::default() };
    BilledRequest { at: Timestamp(at), model: SONNET.to_owned(), tokens }
}

fn reference(number: u8) -> Reference {
    Reference::from_random([number; 16])
}

fn treatment(session: &str, at: i64, number: u8, shown: Shown) -> Treatment {
    Treatment {
        at: Timestamp(at),
        session: session.to_owned(),
        reference: reference(number),
        tool: "Bash".to_owned(),
        recognizer: "cargo".to_owned(),
        shown,
        host_tokens: 5_000,
        digest_tokens: 200,
        repeats: None,
    }
}

fn answer(at: i64, tool: &str, entry: u8, host: u64, delivered: u64) -> (Answered, Timestamp) {
    let answered = Answered {
        tool: tool.to_owned(),
        session: String::new(),
        entry: Some(reference(entry)),
        raw_tokens: host,
        host_tokens: host,
        delivered_tokens: delivered,
        millis: 1,
    };
    (answered, Timestamp(at))
}

fn ledgers(sessions: Vec<(&str, SessionLedger)>) -> Ledgers {
    sessions.into_iter().map(|(key, ledger)| (key.to_owned(), ledger)).collect()
}

/// Four requests; a result comes after the first, is read again after the second.
fn reread_session() -> SessionLedger {
    SessionLedger {
        requests: vec![
            request(10, 0, 9_000),
            request(20, 9_000, 500),
            request(30, 9_500, 1_000),
            request(40, 10_500, 100),
        ],
        answers: vec![answer(15, "capture", 1, 5_000, 200), answer(25, REREAD, 1, 0, 900)],
        treatments: vec![treatment("s", 15, 1, Shown::Digest)],
        ..SessionLedger::default()
    }
}

fn with_uses<Found>(ledgers: &Ledgers, look: impl FnOnce(&[Use<'_>]) -> Found) -> Found {
    let contexts = contexts(ledgers, &PriceList::default(), Span::default());
    look(&uses(ledgers, &contexts, None))
}

fn cargo_verdict(ledgers: &Ledgers) -> Verdict {
    with_uses(ledgers, |uses| {
        verdicts(uses, |one| one.treatment.recognizer.clone()).remove("cargo").unwrap_or_default()
    })
}

fn millionths(dollars: i64) -> Money {
    Money::from_picodollars(dollars * 1_000_000)
}

#[test]
fn a_digest_pays_for_its_reread_and_the_turn_that_it_took() {
    let ledgers = ledgers(vec![("s", reread_session())]);
    let verdict = cargo_verdict(&ledgers);
    // 4,800 * (3.75 + 0.3 + 0.3) = 20,880; the re-read 900 * (3.75 + 0.3) = 3,645; the turn 9,500 * 0.3 = 2,850.
    let net = Difference {
        tokens: 3 * 4_800 - 2 * 900 - 9_500,
        money: Some(millionths(20_880 - 3_645 - 2_850)),
    };
    assert_eq!((verdict.net, verdict.billed_uses), (net, 1));
    assert_eq!((verdict.uses, verdict.reread, verdict.repeated), (1, 1, 0));
    assert_eq!((verdict.removed_tokens(), verdict.kept_out), (4_800, 3_900));
    // The account of the session comes to the same.
    let account = Account::from_ledgers(&ledgers, &PriceList::default(), Span::default());
    assert_eq!(account.balance().net(), net);
}

#[test]
fn a_turn_that_reads_two_results_again_is_counted_once() {
    let mut session = reread_session();
    session.treatments.push(treatment("s", 16, 2, Shown::Digest));
    session.answers.push(answer(26, REREAD, 2, 0, 100));
    let both = cargo_verdict(&ledgers(vec![("s", session)]));
    assert_eq!(both.net.tokens, 2 * 3 * 4_800 - 2 * 1_000 - 9_500);
    assert_eq!((both.uses, both.reread), (2, 2));
}

#[test]
fn what_a_repeated_command_saves_is_no_gain() {
    let mut session = reread_session();
    session.answers.clear();
    let again = Treatment {
        repeats: Some(reference(1)),
        digest_tokens: 300,
        ..treatment("s", 25, 2, Shown::Digest)
    };
    session.treatments.push(again);
    let verdict = cargo_verdict(&ledgers(vec![("s", session)]));
    // The first digest is in 3 requests; of the second only its 300 tokens remain, in 2, and the turn of 9,500.
    assert_eq!(verdict.net.tokens, 3 * 4_800 - 2 * 300 - 9_500);
    assert_eq!((verdict.uses, verdict.repeated), (2, 1));
}

#[test]
fn a_subagents_result_that_the_main_agent_reads_again_is_paid_in_both_contexts() {
    let agent = "s/agent:a";
    let of_agent = SessionLedger {
        requests: vec![request(5, 0, 8_000), request(12, 8_000, 300)],
        treatments: vec![treatment(agent, 8, 3, Shown::Digest)],
        ..SessionLedger::default()
    };
    let main = SessionLedger {
        requests: vec![request(10, 0, 9_000), request(20, 9_000, 500)],
        answers: vec![answer(15, REREAD, 3, 0, 900)],
        ..SessionLedger::default()
    };
    let verdict = cargo_verdict(&ledgers(vec![("s", main), (agent, of_agent)]));
    // One request of the subagent; one of the main agent, which repeats its prompt of 9,000.
    assert_eq!(verdict.net.tokens, 4_800 - 900 - 9_000);
}

#[test]
fn a_compaction_ends_what_a_digest_saves() {
    let mut session = reread_session();
    session.answers.clear();
    session.compactions = vec![Timestamp(32)];
    assert_eq!(cargo_verdict(&ledgers(vec![("s", session)])).net.tokens, 2 * 4_800);
}

#[test]
fn what_is_compacted_before_the_next_request_is_in_none() {
    let net_of_digest_at = |at| {
        let mut session = reread_session();
        session.answers.clear();
        session.treatments = vec![treatment("s", at, 1, Shown::Digest)];
        session.compactions = vec![Timestamp(32), Timestamp(34)];
        cargo_verdict(&ledgers(vec![("s", session)])).net.tokens
    };
    assert_eq!([31, 33].map(net_of_digest_at), [0, 0]);
    assert_eq!(net_of_digest_at(34), 4_800, "the compacted context has it");
}

#[test]
fn a_recognizer_loses_only_after_enough_digests() {
    let losing = |sessions: u64| {
        let ledger = |number: u64| {
            let key = format!("s{number}");
            let mut session = reread_session();
            session.treatments[0].session.clone_from(&key);
            session.treatments[0].reference = reference(number as u8);
            session.treatments[0].host_tokens = 1_000;
            session.answers = vec![answer(25, REREAD, number as u8, 0, 900)];
            (key, session)
        };
        (0..sessions).map(ledger).collect::<BTreeMap<_, _>>()
    };
    let verdict = cargo_verdict(&losing(MIN_USES - 1));
    assert!(verdict.net.tokens < 0 && !verdict.is_loss(), "{verdict:?}");
    assert!(cargo_verdict(&losing(MIN_USES)).is_loss());
    // Where no requests are known, tokens are counted once: 800 saved, 900 read again.
    let mut unbilled = losing(MIN_USES);
    for ledger in unbilled.values_mut() {
        ledger.requests.clear();
    }
    let verdict = cargo_verdict(&unbilled);
    assert_eq!((verdict.billed_uses, verdict.kept_out), (0, -100 * MIN_USES as i64));
    assert!(verdict.is_loss());
}

/// Sessions with a digest that is read again in every second of them, and a result that was held out.
fn experiment(sessions: u64) -> Ledgers {
    let ledger = |number: u64| {
        let key = format!("s{number}");
        let mut session = reread_session();
        let id = 2 * number as u8;
        session.treatments = vec![
            Treatment { reference: reference(id), ..treatment(&key, 15, id, Shown::Digest) },
            treatment(&key, 16, id + 1, Shown::HeldOut),
        ];
        session.answers = if number.is_multiple_of(2) {
            vec![answer(25, REREAD, id, 0, 900)]
        } else {
            Vec::new()
        };
        (key, session)
    };
    (0..sessions).map(ledger).collect()
}

fn compared(sessions: u64, measure: Measure) -> Compared {
    let ledgers = experiment(sessions);
    let contexts = contexts(&ledgers, &PriceList::default(), Span::default());
    let mut moments = Moments::default();
    for session in ledgers.keys() {
        moments.prompts.insert(session.clone(), vec![Timestamp(1), Timestamp(35)]);
        moments.errors.insert(session.clone(), vec![Timestamp(15), Timestamp(17), Timestamp(36)]);
    }
    let comparison = holdout::compare(&uses(&ledgers, &contexts, None), &contexts, &moments);
    assert_eq!((comparison.digests, comparison.held_out), (sessions, sessions));
    comparison.measures.into_iter().find(|one| one.measure == measure).unwrap()
}

#[track_caller]
fn close_to(actual: f64, expect: f64) {
    assert!((actual - expect).abs() < 1e-6, "{actual} is not {expect}");
}

#[test]
fn both_arms_are_compared_in_each_session() {
    let tokens = compared(20, Measure::Tokens);
    // A digest is in 3 prompts; every second one is read again: 900 in 2 prompts, and a turn of 9,500.
    close_to(tokens.digest, 600.0 + 0.5 * (1_800.0 + 9_500.0));
    close_to(tokens.held_out, 15_000.0);
    assert_eq!(tokens.sessions, 20);
    let difference = tokens.difference.unwrap();
    close_to(difference.mean, 6_250.0 - 15_000.0);
    // Half are 14,400 less, half are 3,100 less: a standard deviation of 5,796.9, and 2.093 of it over the root of 20.
    assert!((difference.high - difference.mean - 2_713.0).abs() < 3.0, "{difference:?}");
    assert!(!difference.contains_zero());
    let rereads = compared(20, Measure::Rereads);
    close_to(rereads.digest, 0.5);
    close_to(rereads.held_out, 0.0);
    // Until the next prompt: requests 20 and 30, and the second error.
    let turns = compared(20, Measure::Turns);
    close_to(turns.digest, 2.0);
    close_to(turns.held_out, 2.0);
    assert!(turns.difference.unwrap().contains_zero());
    close_to(compared(20, Measure::Errors).digest, 1.0);
}

#[test]
fn few_sessions_are_not_enough_data() {
    assert_eq!(compared(9, Measure::Tokens).difference, None);
    assert!(compared(10, Measure::Tokens).difference.is_some());
}
