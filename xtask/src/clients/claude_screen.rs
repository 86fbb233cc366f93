//! Claude Code in a terminal: the status line, and `/forebay` in a pane, which adds nothing to the conversation.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::agent_env::AgentEnv;
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::ScriptedModel;
use super::{CheckResult, excerpt};

/// The user's own status line, which stays.
const USERS: &str = r#"{"statusLine": {"type": "command", "command": "printf users-line"}}"#;
/// How long something may take to be drawn.
const TIMEOUT: Duration = Duration::from_mins(1);
/// A terminal takes keys one after another: text that arrives at once counts as pasted.
const KEY_PAUSE: Duration = Duration::from_millis(60);

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "screen")?;
    let model = ScriptedModel::start()?;
    let settings = env.home().join(".claude/settings.json");
    fs::create_dir_all(env.home().join(".claude"))?;
    fs::write(&settings, USERS)?;
    env.set_up(&model)?;
    trust_project(&env)?;
    let mut screen = Screen::open(&env, &model)?;
    let is_drawn = screen.shows("users-line");
    screen.enter("SCRIPT none: begin")?;
    let has_line = screen.shows("forebay: ");
    screen.enter("/forebay")?;
    let has_pane = screen.shows("this session:") && screen.shows("host shows");
    screen.press("\u{1b}")?;
    model.drain();
    screen.enter("SCRIPT none: go on")?;
    let is_asked = screen.waits_for(|| {
        let asked = model.drain();
        let asked = asked.iter().find(|exchange| exchange.request.prompt.contains("go on"));
        asked.map(|exchange| exchange.request.raw.clone())
    });
    let request = is_asked.context("Claude Code did not ask the model")?;
    screen.close();
    let undone = env.undo()?;
    let check = |name, passed, detail: &str| CheckResult { name, passed, detail: excerpt(detail) };
    Ok(vec![
        check("the status line has the user's line and ours", is_drawn && has_line, ""),
        check("/forebay opens a pane", has_pane, ""),
        check("... and adds nothing to the conversation", is_clean(&request), ""),
        check(
            "an undo restores the user's status line",
            fs::read_to_string(settings)? == USERS,
            &undone,
        ),
    ])
}

/// Whether no message of the user's has anything of the command.
fn is_clean(request: &str) -> bool {
    let body: Value = serde_json::from_str(request).unwrap_or_default();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let is_of_user = |message: &&Value| message["role"] == "user";
    let said: Vec<String> = messages.iter().filter(is_of_user).map(Value::to_string).collect();
    !said.is_empty()
        && !said.iter().any(|text| text.contains("/forebay") || text.contains("host shows"))
}

/// Answers what Claude Code asks at its first start in a terminal.
fn trust_project(env: &AgentEnv<'_>) -> Result<()> {
    let path = env.home().join(".claude.json");
    let mut state: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    let project = env.project().canonicalize()?.to_string_lossy().into_owned();
    state["customApiKeyResponses"] = json!({ "approved": ["scripted"], "rejected": [] });
    state["projects"][project] =
        json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
    Ok(fs::write(path, state.to_string())?)
}

/// A terminal with Claude Code in it.
struct Screen {
    child: Child,
    keys: ChildStdin,
    /// Everything that was drawn.
    log: std::path::PathBuf,
}

impl Screen {
    fn open(env: &AgentEnv<'_>, model: &ScriptedModel) -> Result<Self> {
        let log = env.root().join("screen.log");
        let mut child = env.in_terminal(model, &log).spawn().context("cannot start `script`")?;
        let keys = child.stdin.take().context("the terminal takes keys")?;
        Ok(Self { child, keys, log })
    }

    fn press(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        pause(KEY_PAUSE);
        Ok(())
    }

    /// Types a line.
    fn enter(&mut self, text: &str) -> Result<()> {
        for key in text.chars() {
            self.press(key.encode_utf8(&mut [0; 4]))?;
        }
        pause(KEY_PAUSE * 10);
        self.press("\r")
    }

    /// Whether a text is drawn in time.
    fn shows(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        self.waits_for(|| has_words(&self.log, &words).then_some(())).is_some()
    }

    /// Tries until there is a result, or it takes too long.
    fn waits_for<T>(&self, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
        let started = Instant::now();
        while started.elapsed() < TIMEOUT {
            if let Some(found) = attempt() {
                return Some(found);
            }
            pause(KEY_PAUSE * 4);
        }
        None
    }

    fn close(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the screen has words in this order; a terminal draws blanks as movements of the cursor.
fn has_words(log: &Path, words: &[&str]) -> bool {
    let drawn = fs::read(log).unwrap_or_default();
    let drawn = String::from_utf8_lossy(&drawn).into_owned();
    let mut rest = drawn.as_str();
    words.iter().all(|word| match rest.find(word) {
        Some(at) => {
            rest = &rest[at + word.len()..];
            true
        }
        None => false,
    })
}

#[expect(clippy::disallowed_methods, reason = "a terminal offers no event to wait for")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
