//! Hooks update the file tools: a compaction resets what the model has seen, and host edits set the active file.

use serde_json::{Value, json};

use crate::env::{TestEnv, finish};

const SESSION: &str = "8a51c6a2";
const CODE: &str = "\
//! Areas of things that have four corners, each of them the same, as far as anybody can tell without a ruler.
//! Whoever wants to know about other things must ask elsewhere: there are circles, which have no corner at all, and
//! there are houses, which have more of them than one sees from the street.

pub fn area(width: u64, height: u64) -> u64 {
    width * height
}
";

/// Calls a hook as Claude Code does.
fn call_hook(env: &TestEnv, event: &str, more: &Value) {
    let mut payload = json!({
        "session_id": SESSION,
        "cwd": env.project(),
        "transcript_path": env.home().join(".claude/projects/p/t.jsonl"),
        "hook_event_name": event,
    });
    for (name, value) in more.as_object().unwrap() {
        payload[name] = value.clone();
    }
    let mut command = env.command(["hook", "claude-code", event]);
    command.env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", env.project());
    finish(command, payload.to_string().as_bytes()).ok();
}

fn read(env: &TestEnv) -> String {
    let input = json!({ "path": "area.rs" }).to_string();
    env.forebay(["--session", SESSION, "call", "context_read", &input]).ok().text()
}

#[test]
fn unchanged_text_is_returned_again_only_after_a_compaction() {
    let env = TestEnv::new();
    env.write("area.rs", CODE);
    call_hook(&env, "SessionStart", &json!({ "source": "startup" }));
    assert!(read(&env).contains("width * height"));
    let again = read(&env);
    assert!(again.contains("unchanged") && !again.contains("width * height"), "{again}");
    call_hook(&env, "SessionStart", &json!({ "source": "resume" }));
    assert!(read(&env).contains("unchanged"), "a resumed session still has the text");
    call_hook(&env, "SessionStart", &json!({ "source": "compact" }));
    assert!(read(&env).contains("width * height"));
}

#[test]
fn a_file_edited_by_the_host_becomes_active() {
    let env = TestEnv::new();
    env.write("area.rs", CODE);
    let path = env.write("other.rs", "pub fn other() {}\n");
    read(&env);
    let edit = json!({
        "tool_name": "Edit",
        "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" },
        "tool_response": { "filePath": path },
    });
    call_hook(&env, "PostToolUse", &edit);
    let status = env.forebay(["--session", SESSION, "call", "context_status"]).ok().text();
    let lines: Vec<&str> = status.lines().collect();
    assert!(lines[1].contains("other.rs") && lines[2].contains("area.rs"), "{status}");
}

#[test]
fn reading_a_large_file_is_advised_against_once() {
    let env = TestEnv::new();
    let lines: String = (0..4_000).map(|n| format!("{n} GET /index.html 200\n")).collect();
    env.write("access.log", &lines);
    env.write("small.log", &lines[..2_000]);
    env.write("picture.png", [b"\x89PNG\0".as_slice(), &vec![7; 200_000]].concat());
    let code: String = (0..4_000).map(|n| format!("pub fn f{n}() -> u32 {{ {n} }}\n")).collect();
    env.write("code.rs", code);
    let read = |session: &str, input: &Value| {
        let payload = json!({
            "session_id": session,
            "cwd": env.project(),
            "transcript_path": env.home().join(".claude/projects/p/t.jsonl"),
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": input,
        });
        let mut command = env.command(["hook", "claude-code", "PreToolUse"]);
        command.env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", env.project());
        finish(command, payload.to_string().as_bytes()).ok().text()
    };
    let path = |name: &str| json!({ "file_path": env.project().join(name) });
    for silent in [
        path("small.log"),
        path("picture.png"),
        path("gone.log"),
        json!({ "file_path": env.project().join("access.log"), "offset": 10, "limit": 20 }),
    ] {
        assert_eq!(read("s1", &silent), "", "{silent}");
    }
    let advice: Value = serde_json::from_str(&read("s1", &path("access.log"))).unwrap();
    let output = &advice["hookSpecificOutput"];
    let text = output["additionalContext"].as_str().unwrap();
    assert!(text.contains("ctx_execute_file") && !text.contains("context_peek"), "{text}");
    assert!(!text.contains('\n') && output["permissionDecision"].is_null(), "{advice}");
    assert_eq!(read("s1", &path("access.log")), "");
    let text = read("s2", &path("code.rs"));
    assert!(text.contains("context_peek shows its structure"), "{text}");
}
