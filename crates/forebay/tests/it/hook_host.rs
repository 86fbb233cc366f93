//! A fake host that calls the real binary's hooks with Claude Code payloads.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish};

/// A Claude Code session in the test project.
pub(crate) struct Host<'a> {
    pub(crate) env: &'a TestEnv,
    pub(crate) session: &'static str,
}

impl<'a> Host<'a> {
    pub(crate) fn new(env: &'a TestEnv) -> Self {
        Self { env, session: "conversation-1" }
    }

    /// Calls a hook with the common payload fields plus `fields`.
    pub(crate) fn hook(&self, event: &str, fields: Value) -> Output {
        let mut payload = json!({
            "session_id": self.session,
            "cwd": self.env.project(),
            "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.env.forebay_reading(["hook", "claude-code", event], payload.to_string().as_bytes())
    }

    pub(crate) fn prompt(&self, text: &str) -> Output {
        self.hook("UserPromptSubmit", json!({ "prompt": text })).silent()
    }

    /// Reports the end of a turn.
    pub(crate) fn answered(&self, text: &str) {
        self.hook("Stop", json!({ "last_assistant_message": text })).silent();
    }

    /// Reports a command that succeeded.
    pub(crate) fn ran(&self, command: &str, stdout: &str) -> Output {
        self.tool(
            "Bash",
            json!({ "command": command }),
            json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false }),
        )
    }

    pub(crate) fn failed(&self, command: &str, text: &str) -> Output {
        self.hook(
            "PostToolUseFailure",
            json!({
                "tool_name": "Bash",
                "tool_input": { "command": command },
                "error": format!("Exit code 1\n{text}"),
            }),
        )
    }

    pub(crate) fn edited(&self, file: &str) {
        let path = self.env.project().join(file);
        self.tool("Edit", json!({ "file_path": path }), json!({ "filePath": path })).silent();
    }

    pub(crate) fn tool(&self, name: &str, input: Value, response: Value) -> Output {
        let fields = json!({ "tool_name": name, "tool_input": input, "tool_response": response });
        self.hook("PostToolUse", fields)
    }

    pub(crate) fn before_tool(&self, name: &str, input: Value) -> Output {
        self.hook("PreToolUse", json!({ "tool_name": name, "tool_input": input }))
    }

    /// Starts the session from `source` and returns the added context.
    pub(crate) fn start(&self, source: &str) -> String {
        self.hook("SessionStart", json!({ "source": source })).context()
    }
}

impl Output {
    /// Asserts that the hook exits with 0 and prints nothing.
    #[track_caller]
    pub(crate) fn silent(self) -> Self {
        assert_eq!(self.code(), Some(0), "{self:?}");
        assert!(self.stdout.is_empty() && self.stderr.is_empty(), "{self:?}");
        self
    }

    /// Returns the `hookSpecificOutput` of the answer.
    #[track_caller]
    pub(crate) fn answer(&self) -> Value {
        assert_eq!(self.code(), Some(0), "{self:?}");
        self.json()["hookSpecificOutput"].clone()
    }

    /// Returns the added context, empty if the hook prints nothing.
    #[track_caller]
    pub(crate) fn context(&self) -> String {
        if self.stdout.is_empty() {
            return String::new();
        }
        self.answer()["additionalContext"].as_str().unwrap_or_default().to_owned()
    }
}

/// Calls a hook of any host with a raw payload.
pub(crate) fn call(env: &TestEnv, platform: &str, event: &str, payload: &[u8]) -> Output {
    finish(env.command(["hook", platform, event]), payload)
}

/// Returns the lines of the log file.
pub(crate) fn log_lines(env: &TestEnv) -> Vec<String> {
    let log = std::fs::read_to_string(env.data().join("forebay.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}
