//! The status line: one line of known numbers, beside the user's own, and never an error.

use std::fs;

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish};
use crate::hook_host::Host;

/// What Claude Code tells the command of its status line.
fn host_json(env: &TestEnv, percent: Value) -> String {
    json!({
        "session_id": "conversation-1",
        "cwd": env.project(),
        "workspace": { "current_dir": env.project(), "project_dir": env.project() },
        "context_window": { "used_percentage": percent },
    })
    .to_string()
}

fn line(env: &TestEnv, input: &str) -> String {
    let output = env.forebay_reading(["statusline", "claude-code"], input.as_bytes());
    assert!(output.code() == Some(0) && output.stderr.is_empty(), "{output:?}");
    output.text()
}

/// Runs the command that the settings name, as the agent does.
fn run_configured(env: &TestEnv, input: &str) -> Output {
    let settings = fs::read_to_string(env.home().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let mut shell = env.program("sh");
    shell.args(["-c", settings["statusLine"]["command"].as_str().unwrap()]);
    finish(shell, input.as_bytes())
}

fn init<const N: usize>(env: &TestEnv, options: [&str; N]) {
    let words = ["init", "claude-code", "--user", "--yes"].into_iter().chain(options);
    finish(env.command(words), b"").ok();
}

#[test]
fn has_what_is_known_and_leaves_out_the_rest() {
    let env = TestEnv::new();
    assert_eq!(line(&env, &host_json(&env, Value::Null)), "");
    assert!(!env.data().join("projects").exists(), "reading creates no store");
    assert_eq!(line(&env, &host_json(&env, json!(41.6))), "forebay: context 42%");
    let host = Host::new(&env);
    let long: String = (0..2_000).map(|number| format!("line {number} of the build\n")).collect();
    host.ran("make", &long);
    let saved = line(&env, &host_json(&env, json!(42)));
    assert!(
        saved.starts_with("forebay: ") && saved.ends_with(" tokens saved · context 42%"),
        "{saved}"
    );
    let usage = json!({ "input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 5, "model": "m" });
    host.hook("ModelRequest", json!({ "request_id": "1-0", "usage": usage })).silent();
    let all = line(&env, &host_json(&env, json!(42)));
    assert!(all.ends_with(" tokens saved · context 42% · 90% from cache"), "{all}");
}

#[test]
fn never_fails() {
    let env = TestEnv::new();
    for input in
        ["no JSON", "[]", "{}", "{\"session_id\": 1, \"workspace\": 2}", "\u{feff}", "null"]
    {
        assert_eq!(line(&env, input), "", "{input}");
    }
    for arguments in
        [&["statusline"][..], &["statusline", "nobody"], &["statusline", "codex", "--what"]]
    {
        let output = finish(env.command(arguments), host_json(&env, json!(5)).as_bytes());
        assert!(output.code() == Some(0) && output.stderr.is_empty(), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    env.write(".forebay.toml", "not = [valid");
    assert_eq!(line(&env, &host_json(&env, json!(5))), "forebay: context 5%");
    let gone = host_json(&env, json!(5)).replace(&*env.project().to_string_lossy(), "/gone");
    assert_eq!(line(&env, &gone), "forebay: context 5%");
    Host::new(&env).prompt("Audit the orders service");
    fs::write(env.database(), "no database").unwrap();
    assert_eq!(line(&env, &host_json(&env, json!(5))), "forebay: context 5%");
}

#[test]
fn init_adds_it_and_undoes_it() {
    let env = TestEnv::new();
    init(&env, []);
    assert_eq!(run_configured(&env, &host_json(&env, json!(7))).text(), "forebay: context 7%");
    init(&env, ["--no-status-line"]);
    let settings = fs::read_to_string(env.home().join(".claude/settings.json")).unwrap();
    assert!(!settings.contains("statusLine") && settings.contains("PreToolUse"), "{settings}");
    init(&env, []);
    init(&env, ["--undo"]);
    assert!(!env.home().join(".claude/settings.json").exists());
}

#[test]
fn the_users_own_status_line_stays() {
    // Escapes that another writer would write differently, a comment at the end, output without a newline.
    let users = "{\n  \"statusLine\": { \"command\": \"cat | grep -o \\u0022session_id\\\"\\u003b printf '%s\\/x' y # end\", \"type\": \"command\", \"padding\": 0 },\n  \"model\": \"opus\"\n}\n";
    let env = TestEnv::new();
    let path = env.home().join(".claude/settings.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, users).unwrap();
    init(&env, []);
    init(&env, []);
    let shown = run_configured(&env, &host_json(&env, json!(7))).text();
    let lines: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["session_id", "y/x", "forebay: context 7%"]);
    init(&env, ["--no-status-line"]);
    let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let own: Value = serde_json::from_str(users).unwrap();
    assert_eq!(left["statusLine"], own["statusLine"]);
    init(&env, []);
    init(&env, ["--undo"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), users);
}

#[test]
fn the_users_own_line_is_shown_where_forebay_is_gone() {
    let env = TestEnv::new();
    let path = env.home().join(".claude/settings.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, r#"{"statusLine": {"type": "command", "command": "echo mine; exit 3"}}"#)
        .unwrap();
    init(&env, []);
    let settings = fs::read_to_string(&path).unwrap();
    fs::write(&path, settings.replace(env!("CARGO_BIN_EXE_forebay"), "/gone/forebay")).unwrap();
    let output = run_configured(&env, "{}");
    assert_eq!((output.text().trim(), output.code(), &*output.stderr), ("mine", Some(3), ""));
}
