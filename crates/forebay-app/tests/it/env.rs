//! A test environment: a home, a project folder, and a clock that only the test moves.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use forebay_app::settings::DEFAULTS;
use forebay_app::{App, AppError, Call, Clock, Setup};
use forebay_domain::{Timestamp, tokens};
use forebay_store::{Home, Project};
use serde_json::Value;

/// The conversation of the environment's app.
pub(crate) const SESSION: &str = "conversation";

const START_MS: i64 = 1_800_000_000_000;
pub(crate) const DAY: Duration = Duration::from_hours(24);

pub(crate) struct TestEnv {
    root: tempfile::TempDir,
    now_ms: Arc<AtomicI64>,
    pub(crate) home: Home,
    pub(crate) project: Project,
    pub(crate) app: App,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("project");
        fs::create_dir_all(folder.join(".git")).unwrap();
        fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let project = Project::for_folder(&folder, None).unwrap();
        let home = Home::new(root.path().join("data"));
        let now_ms = Arc::new(AtomicI64::new(START_MS));
        let app = App::new(Setup {
            home: home.clone(),
            cwd: folder,
            project: Some(project.clone()),
            user_home: Some(root.path().to_owned()),
            settings: toml::from_str(DEFAULTS).unwrap(),
            environment: vec![("USER".to_owned(), "ann".to_owned())],
            session: SESSION.to_owned(),
            client: "test".to_owned(),
            clock: clock(&now_ms),
            supervisor: None,
        });
        Self { root, now_ms, home, project, app }
    }

    /// Moves the clock forward.
    pub(crate) fn advance(&self, time: Duration) {
        self.now_ms.fetch_add(time.as_millis() as i64, Ordering::Relaxed);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Calls a tool that must succeed; returns the answer's text.
    #[track_caller]
    pub(crate) fn text(&self, tool: &str, input: Value) -> String {
        self.app.call(tool, input, &Call::default()).unwrap().text
    }

    /// Calls a tool that must succeed; returns the answer's data.
    #[track_caller]
    pub(crate) fn data(&self, tool: &str, input: Value) -> Value {
        self.app.call(tool, input, &Call::default()).unwrap().data
    }

    /// Calls a tool that must fail.
    #[track_caller]
    pub(crate) fn error(&self, tool: &str, input: Value) -> AppError {
        self.app.call(tool, input, &Call::default()).unwrap_err()
    }
}

fn clock(now_ms: &Arc<AtomicI64>) -> Clock {
    let now_ms = Arc::clone(now_ms);
    Arc::new(move || Timestamp(now_ms.load(Ordering::Relaxed)))
}

/// Returns the string at a JSON pointer.
#[track_caller]
pub(crate) fn string_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{value}")).to_owned()
}

#[track_caller]
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[track_caller]
pub(crate) fn assert_within(text: &str, budget: u64) {
    assert!(tokens::estimate(text) <= budget, "{} tokens:\n{text}", tokens::estimate(text));
}
