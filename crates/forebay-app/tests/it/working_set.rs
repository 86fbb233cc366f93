//! Resets and file touches that hooks report reach the file tools.

use std::fs;

use forebay_app::working_set::{Touch, context_was_reset, resets_are_reported, touched};
use forebay_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::env::{SESSION, TestEnv};

/// A project with two files, and its store as a hook opens it.
struct WorkingSetEnv {
    env: TestEnv,
    store: SqliteStore,
}

impl WorkingSetEnv {
    fn new() -> Self {
        let env = TestEnv::new();
        let store = SqliteStore::open(&env.home.project_database(&env.project.id)).unwrap();
        // The file must cost more tokens than the remark that it is unchanged.
        let comment = "as long as it takes ".repeat(15);
        let text = format!("pub fn first() {{}} // {comment}\npub fn second() {{}} // {comment}\n");
        env.write("a.rs", &text);
        env.write("b.rs", "pub fn other() {\n    first();\n}\n");
        Self { env, store }
    }

    #[track_caller]
    fn is_unchanged(&self, input: Value) -> bool {
        self.env.data("context_read", input)["unchanged"].as_bool().unwrap()
    }

    /// Paths with their states, the most recently used first.
    fn files(&self) -> Vec<(String, String)> {
        let status = self.env.data("context_status", json!({}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let files = status["files"].as_array().unwrap().iter();
        files.map(|file| (text(&file["path"]), text(&file["state"]))).collect()
    }

    fn touched(&self, name: &str, touch: Touch) {
        touched(&self.store, SESSION, &self.env.path(name), touch).unwrap();
    }
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, state)| ((*path).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn repeats_text_until_resets_are_reported() {
    let stage = WorkingSetEnv::new();
    let whole = json!({ "path": "a.rs" });
    assert!(!resets_are_reported(&stage.store, SESSION).unwrap());
    assert!(!stage.is_unchanged(whole.clone()));
    assert!(!stage.is_unchanged(whole.clone()));

    context_was_reset(&stage.store, SESSION).unwrap();
    assert!(resets_are_reported(&stage.store, SESSION).unwrap());
    assert!(!resets_are_reported(&stage.store, "other").unwrap());
    assert!(!stage.is_unchanged(whole.clone()), "text from before the reset is gone");
    assert!(stage.is_unchanged(whole.clone()));
    assert!(!stage.is_unchanged(json!({ "path": "a.rs", "fresh": true })));

    context_was_reset(&stage.store, SESSION).unwrap();
    assert!(!stage.is_unchanged(whole));
}

#[test]
fn only_delivered_lines_count_as_delivered() {
    let stage = WorkingSetEnv::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let lines = |lines: &str| json!({ "path": "a.rs", "lines": lines });
    assert!(!stage.is_unchanged(lines("1")));
    assert!(stage.is_unchanged(lines("1")));
    assert!(!stage.is_unchanged(lines("1-2")));
    assert!(stage.is_unchanged(json!({ "path": "a.rs" })));
    stage.env.write("a.rs", "pub fn first() {}\npub fn changed() {}\n");
    assert!(!stage.is_unchanged(lines("1")));
}

#[test]
fn repeats_text_that_is_shorter_than_the_remark() {
    let stage = WorkingSetEnv::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let small = json!({ "path": "b.rs" });
    assert!(!stage.is_unchanged(small.clone()));
    assert!(!stage.is_unchanged(small));
}

#[test]
fn status_shows_lines_and_skeletons_delivered_since_the_reset() {
    let stage = WorkingSetEnv::new();
    let status = || stage.env.data("context_status", json!({}))["files"][0].clone();
    stage.env.data("context_peek", json!({ "path": "a.rs" }));
    assert!(status()["skeleton_tokens"].as_u64().unwrap() > 5);
    stage.env.data("context_read", json!({ "path": "a.rs", "lines": "2" }));
    assert_eq!((&status()["lines"], &status()["state"]), (&json!([[2, 2]]), &json!("active")));
    stage.env.data("context_read", json!({ "path": "b.rs" }));
    let files = stage.env.data("context_status", json!({}))["files"].clone();
    assert_eq!(files[1]["lines"], json!([[2, 2]]), "reading another file takes nothing away");
    context_was_reset(&stage.store, SESSION).unwrap();
    let after = stage.env.data("context_status", json!({}));
    assert_eq!(after["tokens"], 0, "{after}");
    assert_eq!(after["files"][1]["lines"], json!([]));
}

#[test]
fn repeats_text_that_was_edited_or_forgotten() {
    let stage = WorkingSetEnv::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let whole = json!({ "path": "a.rs" });
    stage.is_unchanged(whole.clone());
    let edit = json!({ "path": "a.rs", "old_string": "second", "new_string": "third" });
    stage.env.data("context_edit", edit);
    assert!(!stage.is_unchanged(whole.clone()));
    assert!(stage.is_unchanged(whole.clone()));
    stage.env.data("context_forget", json!({ "path": "a.rs" }));
    assert!(!stage.is_unchanged(whole));
}

#[test]
fn peek_does_not_count_as_delivery() {
    let stage = WorkingSetEnv::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    stage.env.data("context_peek", json!({ "path": "a.rs" }));
    assert!(!stage.is_unchanged(json!({ "path": "a.rs" })));
}

#[test]
fn tracks_files_that_the_host_touched() {
    let stage = WorkingSetEnv::new();
    stage.touched("a.rs", Touch::Read);
    assert_eq!(stage.files(), pairs(&[("a.rs", "active")]));
    stage.touched("b.rs", Touch::Edited);
    assert_eq!(stage.files(), pairs(&[("b.rs", "active"), ("a.rs", "skeleton")]));
    stage.env.write("c.rs", "pub fn new() {}\n");
    stage.touched("c.rs", Touch::Written);
    assert_eq!(stage.files()[0], ("c.rs".to_owned(), "active".to_owned()));
    // Binary and missing files are skipped.
    fs::write(stage.env.path("picture"), b"\x89PNG\0\0").unwrap();
    stage.touched("picture", Touch::Read);
    stage.touched("absent.rs", Touch::Edited);
    assert_eq!(stage.files().len(), 3);
}

#[test]
fn a_read_by_the_host_does_not_count_as_delivery() {
    let stage = WorkingSetEnv::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    stage.touched("a.rs", Touch::Read);
    assert!(!stage.is_unchanged(json!({ "path": "a.rs" })));
    // Another read by the host does not invalidate the delivery.
    stage.touched("a.rs", Touch::Read);
    assert!(stage.is_unchanged(json!({ "path": "a.rs" })));
}

#[test]
fn an_edit_by_the_host_does_not_make_a_file_stale() {
    let stage = WorkingSetEnv::new();
    stage.env.data("context_read", json!({ "path": "a.rs" }));
    stage.env.write("a.rs", "pub fn first() {}\npub fn by_host() {}\n");
    let edit = json!({ "path": "a.rs", "old_string": "by_host", "new_string": "by_both" });
    let refused = stage.env.error("context_edit", edit.clone()).to_text();
    assert!(refused.contains("has changed since you saw it"), "{refused}");
    stage.env.write("a.rs", "pub fn first() {}\npub fn by_host() {} // again\n");
    stage.touched("a.rs", Touch::Edited);
    stage.env.data("context_edit", edit);
    assert_eq!(stage.env.read("a.rs"), "pub fn first() {}\npub fn by_both() {} // again\n");
}
