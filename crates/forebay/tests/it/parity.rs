//! Two doors, one answer: every tool says over MCP what its command says.

use std::process::Command;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish, reference_in};
use crate::mcp_client::McpClient;
use crate::texts::varied_log;

/// Both doors on one store, in one session.
struct Doors {
    env: TestEnv,
    mcp: McpClient,
}

impl Doors {
    fn new() -> Self {
        let env = TestEnv::new();
        let mcp = McpClient::initialized(in_the_session(env.command(["mcp"])));
        Self { env, mcp }
    }

    fn command(&self, arguments: &[&str]) -> String {
        finish(in_the_session(self.env.command(arguments)), b"").text()
    }

    fn tool(&mut self, tool: &str, arguments: Value) -> String {
        self.mcp.text(tool, arguments)
    }

    /// Asks both doors and compares.
    #[track_caller]
    fn check(&mut self, tool: &str, arguments: Value, command: &[&str]) {
        let by_tool = self.tool(tool, arguments);
        let by_command = self.command(command);
        assert_eq!(self.env.redact(&by_tool), self.env.redact(&by_command), "{command:?}");
        assert!(!by_tool.is_empty());
    }
}

/// The conversation, as a host names it to the processes it starts.
fn in_the_session(mut command: Command) -> Command {
    command.env("CLAUDE_CODE_SESSION_ID", "both");
    command
}

#[test]
fn execute() {
    let mut doors = Doors::new();
    doors.env.write("log", varied_log(2_000));
    doors.check(
        "ctx_execute",
        json!({ "code": "echo hi; exit 2" }),
        &["run", "--", "echo hi; exit 2"],
    );
    doors.check("ctx_execute", json!({ "code": "cat log" }), &["run", "--", "cat log"]);
    doors.check(
        "ctx_execute",
        json!({ "code": "cat log", "budget": 120, "intent": "kelp" }),
        &["run", "--budget", "120", "--intent", "kelp", "--", "cat log"],
    );
}

#[test]
fn get() {
    let mut doors = Doors::new();
    let reference = doors.env.stored(varied_log(500));
    let asked = |more: &Value| {
        let mut arguments = json!({ "ref": reference });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    doors.check("ctx_get", asked(&json!({})), &["get", &reference]);
    doors.check("ctx_get", asked(&json!({ "lines": "-3" })), &["get", &reference, "--lines", "-3"]);
    doors.check(
        "ctx_get",
        asked(&json!({ "grep": "ember" })),
        &["get", &reference, "--grep", "ember"],
    );
    doors.check(
        "ctx_get",
        asked(&json!({ "cursor": "40", "budget": 200, "stream": "stdout" })),
        &["get", &reference, "--cursor", "40", "--budget", "200", "--stream", "stdout"],
    );
    let document = doors.env.stored(r#"{"a":[1,2]}"#);
    doors.check(
        "ctx_get",
        json!({ "ref": document, "json": "/a" }),
        &["get", &document, "-p", "/a"],
    );
}

#[test]
fn search() {
    let mut doors = Doors::new();
    doors.env.stored(varied_log(300));
    doors.env.noted("kelp grows");
    doors.check("ctx_search", json!({ "query": "kelp ember" }), &["search", "kelp ember"]);
    doors.check(
        "ctx_search",
        json!({ "query": "kelp", "kind": "note", "limit": 1, "scope": "all" }),
        &["search", "kelp", "--kind", "note", "--limit", "1", "--scope", "all"],
    );
    doors.check("ctx_search", json!({ "query": "absent" }), &["search", "absent"]);
}

#[test]
fn annotate() {
    let mut doors = Doors::new();
    doors.check("ctx_annotate", json!({ "text": "a plain note" }), &["note", "a plain note"]);
    doors.tool("ctx_annotate", json!({ "text": "first", "topic": "t" }));
    doors.check(
        "ctx_annotate",
        json!({ "text": "x", "topic": "t", "kind": "decision" }),
        &["note", "--topic", "t", "--kind", "decision", "x"],
    );
}

#[test]
fn history_and_reflect() {
    let mut doors = Doors::new();
    for number in 0..4 {
        let text = format!("decision {number}");
        doors.tool("ctx_annotate", json!({ "text": text, "kind": "decision" }));
    }
    doors.tool("ctx_execute", json!({ "code": "exit 1" }));
    doors.check("ctx_history", json!({ "limit": 2 }), &["history", "--limit", "2"]);
    doors.check("ctx_history", json!({ "session": "all" }), &["history", "--all"]);
    doors.check("ctx_reflect", json!({}), &["reflect"]);
}

#[test]
fn purge() {
    let mut doors = Doors::new();
    let noted = doors.tool("ctx_annotate", json!({ "text": "x" }));
    let reference = reference_in(&noted);
    // A person confirms with a flag, a model with a number: the last line differs.
    let all_but_last = |text: &str| text.rsplit_once('\n').unwrap().0.to_owned();
    let by_tool = all_but_last(&doors.tool("ctx_purge", json!({ "refs": [reference] })));
    assert_eq!(by_tool, all_but_last(&doors.command(&["purge", &reference])));

    let done_by_tool = doors.tool("ctx_purge", json!({ "refs": [reference], "confirm": 1 }));
    let again = reference_in(&doors.tool("ctx_annotate", json!({ "text": "x" })));
    let done_by_command = doors.command(&["purge", "--yes", &again]);
    assert_eq!(doors.env.redact(&done_by_tool), doors.env.redact(&done_by_command));
}

#[test]
fn stats() {
    let mut doors = Doors::new();
    doors.tool("ctx_execute", json!({ "code": "seq 1 9" }));
    doors.command(&["stats"]);
    let shape = |text: &str| {
        let is_figure =
            |word: &&str| word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        let line = |line: &str| {
            line.split_whitespace().filter(|word| !is_figure(word)).collect::<Vec<_>>().join(" ")
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    // Each asking is itself an answer that counts, so the figures move on.
    let by_tool = shape(&doors.tool("ctx_stats", json!({})));
    assert_eq!(by_tool, shape(&doors.command(&["stats"])));
    assert!(by_tool.contains("tool list\n"), "{by_tool}");
}

#[test]
fn doctor() {
    let mut doors = Doors::new();
    doors.env.noted("x");
    doors.check("ctx_doctor", json!({}), &["doctor"]);
}

#[test]
fn faults() {
    let mut doors = Doors::new();
    let by_tool = doors.mcp.fault("ctx_get", json!({ "ref": "zzzzzzzzzz" }));
    let by_command = doors.env.forebay(["get", "zzzzzzzzzz"]).stderr;
    // Each hint names what its reader can call.
    let expect = by_tool.replace("ctx_", "forebay ");
    assert_eq!(format!("error: {expect}\n"), by_command);
    assert!(by_tool.contains("ctx_search") && !by_command.contains("ctx_"), "{by_command}");
}
