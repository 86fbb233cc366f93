//! Earlier runs of a command, and whether their output is still in a model's context.

use forebay_domain::{Entry, EntryKind};
use forebay_store::{CommandRun, CommandRunPage, NewCommandRun, NewEntry, Store};

use crate::engine::{for_each_engine, new_entry};

const TESTS: [u8; 32] = [1; 32];

fn run(store: &dyn Store, title: &str, session: &str, failed: bool, branch: &str) -> Entry {
    let ran = NewCommandRun {
        command: TESTS,
        failed,
        ending: format!("exit {}", u8::from(failed)),
        session: session.to_owned(),
    };
    let new = new_entry(EntryKind::Run, title);
    let new = NewEntry { command: Some(ran), branch: Some(branch.to_owned()), ..new };
    store.put(new, title.as_bytes()).unwrap()
}

fn page(session: &str) -> CommandRunPage {
    CommandRunPage {
        command: TESTS,
        before: i64::MAX,
        session: session.to_owned(),
        succeeded_only: false,
        branch: None,
        limit: 10,
    }
}

fn titles(store: &dyn Store, page: &CommandRunPage) -> Vec<String> {
    store.command_runs(page).unwrap().into_iter().map(|run: CommandRun| run.title).collect()
}

#[test]
fn earlier_runs_are_found_by_command_outcome_and_branch() {
    for_each_engine(|store| {
        run(store, "one", "s", false, "main");
        let two = run(store, "two", "s", true, "topic");
        run(store, "three", "s", true, "main");
        assert_eq!(titles(store, &page("s")), ["three", "two", "one"]);
        let earlier = CommandRunPage { before: two.sequence, ..page("s") };
        assert_eq!(titles(store, &earlier), ["one"]);
        assert_eq!(titles(store, &CommandRunPage { succeeded_only: true, ..page("s") }), ["one"]);
        let on_branch = CommandRunPage { branch: Some("topic".to_owned()), ..page("s") };
        assert_eq!(titles(store, &on_branch), ["two"]);
        assert!(titles(store, &CommandRunPage { command: [2; 32], ..page("s") }).is_empty());
        let found = &store.command_runs(&page("s")).unwrap()[0];
        assert_eq!((found.failed, found.ending.as_str(), found.bytes), (true, "exit 1", 5));
    });
}

#[test]
fn a_run_is_in_context_until_its_session_reports_a_reset() {
    for_each_engine(|store| {
        let in_context =
            |session: &str| store.command_runs(&page(session)).unwrap()[0].is_in_context;
        run(store, "untold", "s", false, "main");
        assert!(!in_context("s"), "a host that reports no resets may have dropped it");
        store.reset_deliveries("s").unwrap();
        assert!(!in_context("s"), "it came before the first report");
        run(store, "told", "s", false, "main");
        assert!(in_context("s"));
        store.reset_deliveries("other").unwrap();
        assert!(!in_context("other") && in_context("s"));
        store.reset_deliveries("s").unwrap();
        assert!(!in_context("s"));
    });
}

#[test]
fn a_mark_can_be_asked_for() {
    for_each_engine(|store| {
        assert!(!store.is_marked("s", "topic").unwrap());
        store.mark("s", "topic").unwrap();
        assert!(store.is_marked("s", "topic").unwrap() && !store.is_marked("t", "topic").unwrap());
    });
}
