//! A host that calls hooks: payloads in Claude Code's form, and the real binary behind them.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish};

/// One conversation of Claude Code in the project.
pub(crate) struct Host<'a> {
    pub(crate) env: &'a TestEnv,
    pub(crate) session: &'static str,
}

impl<'a> Host<'a> {
    pub(crate) fn new(env: &'a TestEnv) -> Self {
        Self { env, session: "conversation-1" }
    }

    /// Calls a hook with these fields beside those every payload has.
    pub(crate) fn hook(&self, event: &str, fields: Value) -> Output {
        let mut payload = json!({
            "session_id": self.session,
            "cwd": self.env.project(),
            "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.env.forebay_reading(["hook", "claude-code", event], payload.to_string().as_bytes())
    }

    pub(crate) fn prompt(&self, words: &str) -> Output {
        self.hook("UserPromptSubmit", json!({ "prompt": words })).silent()
    }

    /// A command that ended well.
    pub(crate) fn ran(&self, command: &str, stdout: &str) -> Output {
        self.tool(
            "Bash",
            json!({ "command": command }),
            json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false }),
        )
    }

    pub(crate) fn failed(&self, command: &str, words: &str) -> Output {
        self.hook(
            "PostToolUseFailure",
            json!({
                "tool_name": "Bash",
                "tool_input": { "command": command },
                "error": format!("Exit code 1\n{words}"),
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

    pub(crate) fn before(&self, name: &str, input: Value) -> Output {
        self.hook("PreToolUse", json!({ "tool_name": name, "tool_input": input }))
    }

    /// What the host is told when the conversation starts for this reason.
    pub(crate) fn start(&self, source: &str) -> String {
        self.hook("SessionStart", json!({ "source": source })).context()
    }
}

impl Output {
    /// It exits with 0 and says nothing to anybody.
    #[track_caller]
    pub(crate) fn silent(self) -> Self {
        assert_eq!(self.code(), Some(0), "{self:?}");
        assert!(self.stdout.is_empty() && self.stderr.is_empty(), "{self:?}");
        self
    }

    /// What Claude Code reads of the answer.
    #[track_caller]
    pub(crate) fn answer(&self) -> Value {
        assert_eq!(self.code(), Some(0), "{self:?}");
        self.json()["hookSpecificOutput"].clone()
    }

    /// The context that is added; nothing when it is silent.
    #[track_caller]
    pub(crate) fn context(&self) -> String {
        if self.stdout.is_empty() {
            return String::new();
        }
        self.answer()["additionalContext"].as_str().unwrap_or_default().to_owned()
    }
}

/// Calls a hook of any host with these bytes.
pub(crate) fn call(env: &TestEnv, platform: &str, event: &str, payload: &[u8]) -> Output {
    finish(env.command(["hook", platform, event]), payload)
}

/// The log, line by line.
pub(crate) fn log_lines(env: &TestEnv) -> Vec<String> {
    let log = std::fs::read_to_string(env.data().join("forebay.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}
