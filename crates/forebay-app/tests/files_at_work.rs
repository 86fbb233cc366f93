//! What hooks tell about files reaches the file tools: resets, and touches by the host's own tools.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use std::fs;
use std::path::PathBuf;

use forebay_app::settings::DEFAULTS;
use forebay_app::working_set::{Touch, context_was_reset, resets_are_told, touched};
use forebay_app::{App, Call, Setup};
use forebay_domain::Timestamp;
use forebay_store::{Home, Project};
use forebay_store_sqlite::SqliteStore;
use serde_json::{Value, json};

const SESSION: &str = "conversation";

/// A project, the app as a server has it, and the store as a hook opens it.
struct Stage {
    root: tempfile::TempDir,
    app: App,
    store: SqliteStore,
}

impl Stage {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("project");
        fs::create_dir_all(folder.join(".git")).unwrap();
        fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let project = Project::of(&folder, None).unwrap();
        let home = Home::at(root.path().join("data"));
        let store = SqliteStore::open(&home.project_database(&project.id)).unwrap();
        let app = App::new(Setup {
            home,
            cwd: folder,
            project: Some(project),
            user_home: Some(root.path().to_owned()),
            settings: toml::from_str(DEFAULTS).unwrap(),
            environment: Vec::new(),
            session: SESSION.to_owned(),
            client: "test".to_owned(),
            clock: || Timestamp(1_800_000_000_000),
            supervisor: None,
        });
        let stage = Self { root, app, store };
        // Lines long enough that a word on them costs less than they do.
        let remark = "as long as it takes ".repeat(15);
        let text = format!("pub fn first() {{}} // {remark}\npub fn second() {{}} // {remark}\n");
        stage.write("a.rs", &text);
        stage.write("b.rs", "pub fn other() {\n    first();\n}\n");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn try_ask(&self, tool: &str, input: Value) -> Result<Value, String> {
        let answer = self.app.call(tool, input, &Call::default());
        answer.map(|answer| answer.data).map_err(|error| error.to_text())
    }

    #[track_caller]
    fn ask(&self, tool: &str, input: Value) -> Value {
        self.try_ask(tool, input).unwrap()
    }

    #[track_caller]
    fn is_unchanged(&self, input: Value) -> bool {
        self.ask("context_read", input)["unchanged"].as_bool().unwrap()
    }

    /// Paths with their states, the most recently used first.
    fn files(&self) -> Vec<(String, String)> {
        let status = self.ask("context_status", json!({}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let files = status["files"].as_array().unwrap().iter();
        files.map(|file| (text(&file["path"]), text(&file["state"]))).collect()
    }

    fn touched(&self, name: &str, touch: Touch) {
        touched(&self.store, SESSION, &self.path(name), touch).unwrap();
    }
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, state)| ((*path).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn text_is_repeated_until_resets_are_told() {
    let stage = Stage::new();
    let whole = json!({ "path": "a.rs" });
    assert!(!resets_are_told(&stage.store, SESSION).unwrap());
    assert!(!stage.is_unchanged(whole.clone()));
    assert!(!stage.is_unchanged(whole.clone()));

    context_was_reset(&stage.store, SESSION).unwrap();
    assert!(resets_are_told(&stage.store, SESSION).unwrap());
    assert!(!resets_are_told(&stage.store, "other").unwrap());
    assert!(!stage.is_unchanged(whole.clone()), "what came before the reset is gone");
    assert!(stage.is_unchanged(whole.clone()));
    assert!(!stage.is_unchanged(json!({ "path": "a.rs", "fresh": true })));

    context_was_reset(&stage.store, SESSION).unwrap();
    assert!(!stage.is_unchanged(whole));
}

#[test]
fn only_lines_that_were_given_count_as_given() {
    let stage = Stage::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let lines = |lines: &str| json!({ "path": "a.rs", "lines": lines });
    assert!(!stage.is_unchanged(lines("1")));
    assert!(stage.is_unchanged(lines("1")));
    assert!(!stage.is_unchanged(lines("1-2")));
    assert!(stage.is_unchanged(json!({ "path": "a.rs" })));
    stage.write("a.rs", "pub fn first() {}\npub fn changed() {}\n");
    assert!(!stage.is_unchanged(lines("1")));
}

#[test]
fn what_costs_less_than_a_word_on_it_is_given_again() {
    let stage = Stage::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let small = json!({ "path": "b.rs" });
    assert!(!stage.is_unchanged(small.clone()));
    assert!(!stage.is_unchanged(small));
}

/// A session that was told a file is a skeleton must hear why its text is not given.
#[test]
fn a_skeleton_that_is_read_again_says_where_its_text_is() {
    let stage = Stage::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let read = |path: &str| {
        let answer = stage.app.call("context_read", json!({ "path": path }), &Call::default());
        answer.unwrap().text
    };
    read("a.rs");
    assert!(!read("a.rs").contains("further up"));
    read("b.rs");
    let again = read("a.rs");
    assert!(again.contains("its text stands further up, so it is active again"), "{again}");
}

#[test]
fn what_was_edited_or_forgotten_is_given_again() {
    let stage = Stage::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    let whole = json!({ "path": "a.rs" });
    stage.is_unchanged(whole.clone());
    let edit = json!({ "path": "a.rs", "old_string": "second", "new_string": "third" });
    stage.ask("context_edit", edit);
    assert!(!stage.is_unchanged(whole.clone()));
    assert!(stage.is_unchanged(whole.clone()));
    stage.ask("context_forget", json!({ "path": "a.rs" }));
    assert!(!stage.is_unchanged(whole));
}

#[test]
fn a_peek_delivers_no_text() {
    let stage = Stage::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    stage.ask("context_peek", json!({ "path": "a.rs" }));
    assert!(!stage.is_unchanged(json!({ "path": "a.rs" })));
}

#[test]
fn touches_of_the_host_are_on_the_list() {
    let stage = Stage::new();
    stage.touched("a.rs", Touch::Read);
    assert_eq!(stage.files(), pairs(&[("a.rs", "active")]));
    stage.touched("b.rs", Touch::Edited);
    assert_eq!(stage.files(), pairs(&[("b.rs", "active"), ("a.rs", "skeleton")]));
    stage.write("c.rs", "pub fn new() {}\n");
    stage.touched("c.rs", Touch::Written);
    assert_eq!(stage.files()[0], ("c.rs".to_owned(), "active".to_owned()));
    // What is no text is passed over.
    fs::write(stage.path("picture"), b"\x89PNG\0\0").unwrap();
    stage.touched("picture", Touch::Read);
    stage.touched("absent.rs", Touch::Edited);
    assert_eq!(stage.files().len(), 3);
}

#[test]
fn a_read_by_the_host_delivers_nothing_for_sure() {
    let stage = Stage::new();
    context_was_reset(&stage.store, SESSION).unwrap();
    stage.touched("a.rs", Touch::Read);
    assert!(!stage.is_unchanged(json!({ "path": "a.rs" })));
    // Read once more by the host, it is still what was given.
    stage.touched("a.rs", Touch::Read);
    assert!(stage.is_unchanged(json!({ "path": "a.rs" })));
}

#[test]
fn an_edit_by_the_host_is_the_sessions_own() {
    let stage = Stage::new();
    stage.ask("context_read", json!({ "path": "a.rs" }));
    stage.write("a.rs", "pub fn first() {}\npub fn by_host() {}\n");
    let edit = json!({ "path": "a.rs", "old_string": "by_host", "new_string": "by_both" });
    let refused = stage.try_ask("context_edit", edit.clone()).unwrap_err();
    assert!(refused.contains("has changed since you saw it"), "{refused}");
    stage.write("a.rs", "pub fn first() {}\npub fn by_host() {} // again\n");
    stage.touched("a.rs", Touch::Edited);
    stage.ask("context_edit", edit);
    let text = fs::read_to_string(stage.path("a.rs")).unwrap();
    assert_eq!(text, "pub fn first() {}\npub fn by_both() {} // again\n");
}
