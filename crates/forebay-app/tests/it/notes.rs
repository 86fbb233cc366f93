//! Saving, replacing and deleting notes.

use forebay_app::ErrorKind;
use serde_json::{Value, json};

use crate::env::{DAY, TestEnv, assert_has, string_at};

fn save(env: &TestEnv, input: Value) -> String {
    string_at(&env.data("ctx_annotate", input), "/ref")
}

#[test]
fn a_superseding_note_hides_the_older_one_and_keeps_its_kind() {
    let env = TestEnv::new();
    let older =
        save(&env, json!({ "text": "we use Postgres for walrus data", "kind": "decision" }));
    let input = json!({ "text": "we use SQLite for walrus data", "supersedes": older });
    let text = env.text("ctx_annotate", input);
    assert_has(&text, &["decision saved", &format!("replaces [ctx:{older}]")]);
    let found = env.text("ctx_search", json!({ "query": "walrus data" }));
    assert_has(&found, &["SQLite", &format!("replaces [ctx:{older}]")]);
    assert!(!found.contains("Postgres"), "{found}");
    assert_has(&env.text("ctx_get", json!({ "ref": older })), &["Postgres", "replaced by"]);
}

#[test]
fn a_newer_note_on_a_topic_replaces_the_older_one() {
    let env = TestEnv::new();
    let older = save(&env, json!({ "text": "port 80", "topic": "Port" }));
    let text = env.text("ctx_annotate", json!({ "text": "port 81", "topic": " port " }));
    assert_has(&text, &[&format!("replaces [ctx:{older}]")]);
}

#[test]
fn only_notes_can_be_superseded() {
    let env = TestEnv::new();
    let run = string_at(&env.data("ctx_execute", json!({ "code": "echo x" })), "/ref");
    let error = env.error("ctx_annotate", json!({ "text": "y", "supersedes": run }));
    assert_eq!(error.kind, ErrorKind::BadInput);
    assert_has(&error.to_text(), &["is a run, not a note"]);
}

#[test]
fn a_contradicting_note_is_reported() {
    let env = TestEnv::new();
    let older = save(&env, json!({ "text": "the cache is enabled in production" }));
    let text = env.text("ctx_annotate", json!({ "text": "the cache is disabled in production" }));
    assert_has(&text, &[&format!("may conflict with [ctx:{older}]"), "supersedes"]);
}

#[test]
fn a_dry_run_of_purge_deletes_nothing() {
    let env = TestEnv::new();
    let kept = save(&env, json!({ "text": "the walrus" }));
    let dry = env.text("ctx_purge", json!({ "refs": [kept] }));
    assert_has(&dry, &["1 entry (including 1 note)", "would be deleted", "confirm=1"]);
    assert_has(&env.text("ctx_get", json!({ "ref": kept })), &["the walrus"]);
}

#[test]
fn purge_deletes_what_was_confirmed_and_nothing_else() {
    let env = TestEnv::new();
    let (first, second) =
        (save(&env, json!({ "text": "walrus" })), save(&env, json!({ "text": "heron" })));
    let wrong = env.error("ctx_purge", json!({ "refs": [first], "confirm": 2 }));
    assert_has(&wrong.to_text(), &["confirm=2, but 1 entry selected now; nothing was deleted"]);
    let done = env.data("ctx_purge", json!({ "refs": [first], "confirm": 1 }));
    assert_eq!((&done["done"], &done["entries"]), (&json!(true), &json!(1)));
    assert_eq!(env.error("ctx_get", json!({ "ref": first })).kind, ErrorKind::NotFound);
    assert_has(&env.text("ctx_get", json!({ "ref": second })), &["heron"]);
}

#[test]
fn purge_selects_by_age() {
    let env = TestEnv::new();
    save(&env, json!({ "text": "old" }));
    env.advance(10 * DAY);
    save(&env, json!({ "text": "new" }));
    let dry = env.data("ctx_purge", json!({ "older_than_days": 5 }));
    assert_eq!((&dry["entries"], &dry["done"]), (&json!(1), &json!(false)));
    assert_eq!(env.data("ctx_purge", json!({ "older_than_days": 11 }))["entries"], 0);
}

#[test]
fn the_overview_shows_pinned_notes_first() {
    let env = TestEnv::new();
    assert_eq!(env.text("ctx_context", json!({})), "nothing to show about this project yet");
    save(&env, json!({ "text": "never push on a Friday", "pinned": true }));
    save(&env, json!({ "text": "the walrus swims" }));
    let text = env.text("ctx_context", json!({ "max_bytes": 400 }));
    assert_has(&text, &["## Pinned (1)", "Friday", "## Notes (1)", "walrus"]);
    assert!(text.len() <= 400 && text.find("Friday") < text.find("walrus"), "{text}");
}
