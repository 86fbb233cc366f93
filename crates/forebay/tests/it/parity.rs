//! Parity: every tool answers over MCP as its command does.

use std::process::Command;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish, reference_in};
use crate::mcp_client::McpClient;
use crate::texts::varied_log;

/// MCP and CLI on one store, in one session.
struct Frontends {
    env: TestEnv,
    mcp: McpClient,
}

impl Frontends {
    fn new() -> Self {
        let env = TestEnv::new();
        let mcp = McpClient::initialized(in_session(env.command(["mcp"])));
        Self { env, mcp }
    }

    fn command(&self, arguments: &[&str]) -> String {
        finish(in_session(self.env.command(arguments)), b"").text()
    }

    fn tool(&mut self, tool: &str, arguments: Value) -> String {
        self.mcp.text(tool, arguments)
    }

    /// Asserts that the tool and the command give the same answer.
    #[track_caller]
    fn check(&mut self, tool: &str, arguments: Value, command: &[&str]) {
        let by_tool = self.tool(tool, arguments);
        let by_cli = self.command(command);
        assert_eq!(self.env.redact(&by_tool), self.env.redact(&by_cli), "{command:?}");
        assert!(!by_tool.is_empty());
    }
}

/// Sets the session id as a host does for the processes it starts.
fn in_session(mut command: Command) -> Command {
    command.env("CLAUDE_CODE_SESSION_ID", "both");
    command
}

#[test]
fn execute() {
    let mut frontends = Frontends::new();
    frontends.env.write("log", varied_log(2_000));
    frontends.check(
        "ctx_execute",
        json!({ "code": "echo hi; exit 2" }),
        &["run", "--", "echo hi; exit 2"],
    );
    frontends.check("ctx_execute", json!({ "code": "cat log" }), &["run", "--", "cat log"]);
    frontends.check(
        "ctx_execute",
        json!({ "code": "cat log", "budget": 120, "intent": "kelp" }),
        &["run", "--budget", "120", "--intent", "kelp", "--", "cat log"],
    );
}

#[test]
fn get() {
    let mut frontends = Frontends::new();
    let reference = frontends.env.stored(varied_log(500));
    let arguments_with = |more: &Value| {
        let mut arguments = json!({ "ref": reference });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    frontends.check("ctx_get", arguments_with(&json!({})), &["get", &reference]);
    frontends.check(
        "ctx_get",
        arguments_with(&json!({ "lines": "-3" })),
        &["get", &reference, "--lines", "-3"],
    );
    frontends.check(
        "ctx_get",
        arguments_with(&json!({ "grep": "ember" })),
        &["get", &reference, "--grep", "ember"],
    );
    frontends.check(
        "ctx_get",
        arguments_with(&json!({ "cursor": "40", "budget": 200, "stream": "stdout" })),
        &["get", &reference, "--cursor", "40", "--budget", "200", "--stream", "stdout"],
    );
    let document = frontends.env.stored(r#"{"a":[1,2]}"#);
    frontends.check(
        "ctx_get",
        json!({ "ref": document, "json": "/a" }),
        &["get", &document, "-p", "/a"],
    );
}

#[test]
fn search() {
    let mut frontends = Frontends::new();
    frontends.env.stored(varied_log(300));
    frontends.env.noted("kelp grows");
    frontends.check("ctx_search", json!({ "query": "kelp ember" }), &["search", "kelp ember"]);
    frontends.check(
        "ctx_search",
        json!({ "query": "kelp", "kind": "note", "limit": 1, "scope": "all" }),
        &["search", "kelp", "--kind", "note", "--limit", "1", "--scope", "all"],
    );
    frontends.check("ctx_search", json!({ "query": "absent" }), &["search", "absent"]);
}

#[test]
fn annotate() {
    let mut frontends = Frontends::new();
    frontends.check("ctx_annotate", json!({ "text": "a plain note" }), &["note", "a plain note"]);
    frontends.tool("ctx_annotate", json!({ "text": "first", "topic": "t" }));
    frontends.check(
        "ctx_annotate",
        json!({ "text": "x", "topic": "t", "kind": "decision" }),
        &["note", "--topic", "t", "--kind", "decision", "x"],
    );
}

#[test]
fn history_and_reflect() {
    let mut frontends = Frontends::new();
    for number in 0..4 {
        let text = format!("decision {number}");
        frontends.tool("ctx_annotate", json!({ "text": text, "kind": "decision" }));
    }
    frontends.tool("ctx_execute", json!({ "code": "exit 1" }));
    frontends.check("ctx_history", json!({ "limit": 2 }), &["history", "--limit", "2"]);
    frontends.check("ctx_history", json!({ "session": "all" }), &["history", "--all"]);
    frontends.check("ctx_reflect", json!({}), &["reflect"]);
}

#[test]
fn purge() {
    let mut frontends = Frontends::new();
    let noted = frontends.tool("ctx_annotate", json!({ "text": "x" }));
    let reference = reference_in(&noted);
    // The CLI confirms with a flag and MCP with a count, so the last line differs.
    let all_but_last = |text: &str| text.rsplit_once('\n').unwrap().0.to_owned();
    let by_tool = all_but_last(&frontends.tool("ctx_purge", json!({ "refs": [reference] })));
    assert_eq!(by_tool, all_but_last(&frontends.command(&["purge", &reference])));

    let done_by_tool = frontends.tool("ctx_purge", json!({ "refs": [reference], "confirm": 1 }));
    let again = reference_in(&frontends.tool("ctx_annotate", json!({ "text": "x" })));
    let done_by_cli = frontends.command(&["purge", "--yes", &again]);
    assert_eq!(frontends.env.redact(&done_by_tool), frontends.env.redact(&done_by_cli));
}

#[test]
fn stats() {
    let mut frontends = Frontends::new();
    frontends.tool("ctx_execute", json!({ "code": "seq 1 9" }));
    frontends.command(&["stats"]);
    let shape = |text: &str| {
        let is_number =
            |word: &&str| word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        let line = |line: &str| {
            line.split_whitespace().filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    // Each call is itself counted, so the numbers differ.
    let by_tool = shape(&frontends.tool("ctx_stats", json!({})));
    assert_eq!(by_tool, shape(&frontends.command(&["stats"])));
    assert!(by_tool.contains("tool list\n"), "{by_tool}");
}

#[test]
fn doctor() {
    let mut frontends = Frontends::new();
    frontends.env.noted("x");
    // Other tests run processes of the same program beside this one.
    let without_processes = |text: String| -> Vec<String> {
        let is_process = |line: &&str| line.starts_with("note   homes       process ");
        text.lines().filter(|line| !is_process(line)).map(str::to_owned).collect()
    };
    let by_tool = frontends.tool("ctx_doctor", json!({}));
    let by_cli = frontends.command(&["doctor"]);
    let env = &frontends.env;
    assert_eq!(without_processes(env.redact(&by_tool)), without_processes(env.redact(&by_cli)));
    assert!(by_tool.contains("isolation"), "{by_tool}");
}

#[test]
fn errors() {
    let mut frontends = Frontends::new();
    let by_tool = frontends.mcp.error("ctx_get", json!({ "ref": "zzzzzzzzzz" }));
    let by_cli = frontends.env.forebay(["get", "zzzzzzzzzz"]).stderr;
    // Hints name tools over MCP and commands in the CLI.
    let expect = by_tool.replace("ctx_", "forebay ");
    assert_eq!(format!("error: {expect}\n"), by_cli);
    assert!(by_tool.contains("ctx_search") && !by_cli.contains("ctx_"), "{by_cli}");
}
