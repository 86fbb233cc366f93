//! Reading, editing and writing files of the project.

use forebay_app::ErrorKind;
use serde_json::json;

use crate::env::{TestEnv, assert_has, assert_within};

const SOURCE: &str = "pub fn first() {}\npub fn second() {}\n";

fn env_with_source() -> TestEnv {
    let env = TestEnv::new();
    env.write("a.rs", SOURCE);
    env
}

#[test]
fn an_edit_replaces_exactly_one_match() {
    let env = env_with_source();
    let input = json!({ "path": "a.rs", "old_string": "second", "new_string": "third" });
    assert_has(
        &env.text("context_edit", input),
        &["a.rs: 1 replacement", "hash ", "before: [ctx:"],
    );
    assert_eq!(env.read("a.rs"), "pub fn first() {}\npub fn third() {}\n");
}

#[test]
fn an_ambiguous_edit_is_rejected_with_its_matches() {
    let env = env_with_source();
    let input = json!({ "path": "a.rs", "old_string": "pub fn", "new_string": "fn" });
    let error = env.error("context_edit", input);
    assert_eq!(error.kind, ErrorKind::BadInput);
    assert_has(&error.to_text(), &["matches 2 times", "the file is unchanged", "replace_all=true"]);
    assert_eq!(env.read("a.rs"), SOURCE);
}

#[test]
fn an_edit_of_a_file_that_changed_since_it_was_read_is_refused() {
    let env = env_with_source();
    env.text("context_read", json!({ "path": "a.rs" }));
    env.write("a.rs", "pub fn first() {}\npub fn by_others() {}\n");
    let input = json!({ "path": "a.rs", "old_string": "by_others", "new_string": "mine" });
    let error = env.error("context_edit", input);
    assert_has(&error.to_text(), &["has changed since"]);
    assert_has(&env.read("a.rs"), &["by_others"]);
}

#[test]
fn a_dry_run_of_an_edit_shows_the_diff_only() {
    let env = env_with_source();
    let input =
        json!({ "path": "a.rs", "old_string": "second", "new_string": "third", "dry_run": true });
    let text = env.text("context_edit", input);
    assert_has(&text, &["dry run, a.rs is unchanged", "-pub fn second", "+pub fn third"]);
    assert_eq!(env.read("a.rs"), SOURCE);
}

#[test]
fn writing_over_a_file_needs_consent() {
    let env = env_with_source();
    let error = env.error("context_write", json!({ "path": "a.rs", "content": "x\n" }));
    assert_has(&error.to_text(), &["a.rs already exists, with 2 lines", "overwrite=true"]);
    env.text("context_write", json!({ "path": "a.rs", "content": "x\n", "overwrite": true }));
    assert_eq!(env.read("a.rs"), "x\n");
    env.text("context_write", json!({ "path": "new/b.rs", "content": "y\n" }));
    assert_eq!(env.read("new/b.rs"), "y\n");
}

#[test]
fn paths_outside_of_the_project_are_refused() {
    let env = env_with_source();
    env.write("../outside.txt", "private\n");
    let error = env.error("context_read", json!({ "path": "../outside.txt" }));
    assert!(!error.to_text().contains("private"), "{}", error.to_text());
}

#[test]
fn the_file_read_before_becomes_a_skeleton() {
    let env = env_with_source();
    env.write("b.rs", "pub fn other() {}\n");
    env.text("context_read", json!({ "path": "a.rs" }));
    env.text("context_read", json!({ "path": "b.rs" }));
    let status = env.data("context_status", json!({}));
    let files = status["files"].as_array().unwrap();
    let states: Vec<_> = files.iter().map(|file| (&file["path"], &file["state"])).collect();
    assert_eq!(states, [(&json!("b.rs"), &json!("active")), (&json!("a.rs"), &json!("skeleton"))]);
    env.text("context_forget", json!({ "path": "a.rs" }));
    let error = env.error("context_forget", json!({ "path": "a.rs" }));
    assert_has(&error.to_text(), &["a.rs is not tracked", "tracked: b.rs"]);
}

#[test]
fn a_read_stays_within_the_budget_and_says_how_to_go_on() {
    let env = TestEnv::new();
    let text: String = (1..=5_000).map(|number| format!("line number {number}\n")).collect();
    env.write("long.txt", &text);
    let page = env.text("context_read", json!({ "path": "long.txt" }));
    assert_within(&page, env.app.settings.files.read);
    assert_has(&page, &["of 5,000", "more: context_read long.txt lines="]);
}
