//! `forebay import` and `forebay replay`: transcripts of four hosts, each imported into its project.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish};

fn write(path: &Path, lines: &[Value]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, text).unwrap();
}

fn append(path: &Path, text: &str) {
    let mut whole = fs::read_to_string(path).unwrap();
    whole.push_str(text);
    fs::write(path, whole).unwrap();
}

fn claude_file(env: &TestEnv, name: &str) -> PathBuf {
    env.home().join(".claude/projects/-some-project").join(name)
}

/// Returns a line of a Claude Code transcript with the common fields.
fn claude_line(cwd: &Path, number: u32, role: &str, content: Value) -> Value {
    json!({
        "type": role, "uuid": format!("u{number}"), "sessionId": "past-1", "cwd": cwd, "gitBranch": "topic",
        "timestamp": format!("2026-03-0{}T10:00:00.000Z", number % 9 + 1), "isSidechain": false,
        "message": { "role": role, "content": content }, "toolUseResult": { "stdout": "said twice" },
    })
}

fn build_log() -> String {
    (1..=700)
        .map(|line| format!("compiling module number {line} of the marigold engine\n"))
        .collect()
}

fn conversation(cwd: &Path) -> Vec<Value> {
    let mut aside = claude_line(
        cwd,
        5,
        "assistant",
        json!([{ "type": "text", "text": "The subagent saw a heron." }]),
    );
    aside["isSidechain"] = json!(true);
    let mut summary =
        claude_line(cwd, 6, "user", json!("Summary: the pelican migration was finished."));
    summary["isCompactSummary"] = json!(true);
    vec![
        json!({ "type": "queue-operation", "sessionId": "past-1" }),
        claude_line(cwd, 1, "user", json!("Please fix the flamingo parser")),
        claude_line(
            cwd,
            2,
            "assistant",
            json!([
                { "type": "text", "text": "I will build it first." },
                { "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "make all" } },
            ]),
        ),
        claude_line(
            cwd,
            3,
            "user",
            json!([{ "type": "tool_result", "tool_use_id": "t1", "content": build_log() }]),
        ),
        claude_line(
            cwd,
            4,
            "assistant",
            json!([{ "type": "text", "text": "The flamingo parser dropped its last token; fixed." }]),
        ),
        aside,
        summary,
    ]
}

fn import(env: &TestEnv, arguments: &[&str]) -> Output {
    finish(env.command([&["import"], arguments].concat()), b"")
}

#[test]
fn claude_code_transcript_is_imported_and_searchable() {
    let env = TestEnv::new();
    let file = claude_file(&env, "past-1.jsonl");
    write(&file, &conversation(&env.project()));
    append(&file, "{ broken\n");
    let text = import(&env, &[]).ok().text();
    assert!(
        text.contains("1 conversation")
            && text.contains("2 turns")
            && text.contains("1 tool result"),
        "{text}"
    );
    assert!(text.contains("1 line malformed and skipped"), "{text}");

    for (query, expect) in [
        ("flamingo parser token", "dropped its last token"),
        ("heron", "subagent"),
        ("pelican migration", "Summary"),
    ] {
        let found = env.forebay(["search", query, "--kind", "turn"]).ok().text();
        assert!(found.contains(expect), "{query}: {found}");
    }
    let found = env.forebay(["search", "marigold engine", "--kind", "capture"]).ok();
    let whole = env.forebay(["get", &found.reference(), "--lines", "700"]).ok().text();
    assert!(whole.contains("module number 700"), "{whole}");
    let history = env.forebay(["history", "--all", "--json"]).ok().json();
    assert!(history.to_string().contains("past-1"), "{history}");
}

#[test]
fn repeated_import_reads_only_new_lines() {
    let env = TestEnv::new();
    let file = claude_file(&env, "past-1.jsonl");
    write(&file, &conversation(&env.project()));
    import(&env, &[]).ok();
    assert_eq!(import(&env, &[]).ok().text(), "nothing new to import");

    let line = claude_line(&env.project(), 7, "user", json!("And now the toucan")).to_string();
    append(&file, &line[..60]);
    assert_eq!(
        import(&env, &[]).ok().text(),
        "nothing new to import",
        "an incomplete line is not read yet"
    );
    append(&file, &format!("{}\n", &line[60..]));
    let data = import(&env, &["--json"]).ok().json();
    assert_eq!((data["turns"].as_u64(), data["malformed_lines"].as_u64()), (Some(1), Some(0)));
    assert!(env.forebay(["search", "toucan"]).ok().text().contains("toucan"));

    // A different transcript under the same name is read from its start.
    let mut other = conversation(&env.project());
    other[0]["operation"] = json!("another");
    write(&file, &other[..2]);
    assert_eq!(import(&env, &["--json"]).ok().json()["turns"], 1);
}

#[test]
fn transcripts_are_imported_into_their_own_projects() {
    let env = TestEnv::new();
    let other = env.add_project("other");
    write(&claude_file(&env, "a.jsonl"), &conversation(&other));
    write(&claude_file(&env, "b.jsonl"), &conversation(Path::new("/gone/for/good")));
    let text = import(&env, &[]).ok().text();
    assert!(
        text.contains("nothing new") && text.contains("2 conversations of other projects"),
        "{text}"
    );

    assert_eq!(import(&env, &["--all", "--json"]).ok().json()["conversations"], 1);
    let here = env.forebay(["search", "flamingo"]).ok().text();
    assert!(!here.contains("dropped its last token"), "{here}");
    let there = env.forebay_in(&other, ["search", "flamingo"]).ok().text();
    assert!(there.contains("dropped its last token"), "{there}");

    // A transcript given by path is imported even if its project folder is gone.
    let named = claude_file(&env, "b.jsonl");
    assert_eq!(import(&env, &[named.to_str().unwrap(), "--json"]).ok().json()["conversations"], 1);
    assert!(env.forebay(["search", "flamingo"]).ok().text().contains("dropped its last token"));
}

#[test]
fn codex_and_gemini_transcripts_are_imported() {
    let env = TestEnv::new();
    let cwd = env.project();
    let item = |payload: Value| json!({ "timestamp": "2026-03-01T10:00:00Z", "type": "response_item", "payload": payload });
    write(
        &env.home().join(".codex/sessions/2026/03/01/rollout-2026-03-01-x.jsonl"),
        &[
            json!({ "timestamp": "2026-03-01T10:00:00Z", "type": "session_meta",
                    "payload": { "id": "past-2", "cwd": cwd, "git": { "branch": "topic" } } }),
            item(
                json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Where does the ibis nest?" }] }),
            ),
            item(
                json!({ "type": "function_call", "name": "exec_command", "call_id": "c1", "arguments": "{\"cmd\":\"make\"}" }),
            ),
            item(json!({ "type": "function_call_output", "call_id": "c1", "output": build_log() })),
            json!({ "type": "event_msg", "payload": { "type": "agent_message", "message": "shown twice" } }),
            item(
                json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "The ibis nests in reeds." }] }),
            ),
            json!({ "timestamp": "2026-03-01T10:00:00Z", "type": "compacted", "payload": { "message": "Compacted: ibis done." } }),
        ],
    );
    let chats = env.home().join(".gemini/tmp/app/chats");
    let message = json!({ "id": "m2", "type": "gemini", "timestamp": "2026-03-01T10:00:00Z", "content": "The egret is white." });
    let mut with_calls = message.clone();
    with_calls["toolCalls"] = json!([{ "id": "g1", "name": "run_shell_command", "args": { "command": "make" }, "status": "success",
        "result": [{ "functionResponse": { "response": { "output": build_log() } } }] }]);
    write(
        &chats.join("session-2026.jsonl"),
        &[
            json!({ "sessionId": "past-3", "projectHash": "x" }),
            json!({ "id": "m1", "type": "user", "timestamp": "2026-03-01T10:00:00Z", "content": [{ "text": "Which colour is the egret?" }] }),
            message,
            with_calls,
        ],
    );
    fs::write(chats.join("../.project_root"), cwd.to_str().unwrap()).unwrap();

    let data = import(&env, &["--json"]).ok().json();
    assert_eq!(data["conversations"], 2, "{data}");
    assert_eq!(
        (data["turns"].as_u64(), data["tool_results"].as_u64()),
        (Some(3), Some(2)),
        "{data}"
    );
    let ibis = env.forebay(["search", "ibis nests reeds"]).ok().text();
    assert!(ibis.contains("nests in reeds"), "{ibis}");
    let egret = env.forebay(["search", "egret white"]).ok().text();
    assert_eq!(egret.matches("assistant: The egret is white").count(), 1, "{egret}");
}

/// Codex names the session and the model once, in lines that the next import does not read again.
#[test]
fn a_codex_transcript_that_grew_keeps_its_session_and_its_model() {
    let env = TestEnv::new();
    let path = env.home().join(".codex/sessions/2026/03/01/rollout-2026-03-01-x.jsonl");
    let line = |kind: &str, minute: u32, payload: Value| json!({ "timestamp": format!("2026-03-01T10:{minute:02}:00Z"), "type": kind, "payload": payload });
    let settings = json!({
        "type": "thread_settings_applied",
        "thread_settings": { "model": "gpt-5", "model_provider_id": "openai" },
    });
    let request = |minute: u32| {
        let usage = json!({ "input_tokens": 1_000, "cached_input_tokens": 0, "output_tokens": 10 });
        let payload = json!({ "response_id": format!("resp_{minute}"), "usage": usage });
        line("token_usage_record", minute, payload)
    };
    let session = json!({ "id": "past-9", "cwd": env.project() });
    let mut lines =
        vec![line("session_meta", 0, session), line("event_msg", 0, settings), request(1)];
    write(&path, &lines);
    import(&env, &[]).ok();
    lines.extend([request(2), request(3)]);
    write(&path, &lines);
    import(&env, &[]).ok();
    let stats = ["--session", "past-9", "stats", "--json"];
    let session = env.forebay(stats).ok().json()["session"].clone();
    assert_eq!(session["requests"]["count"], 3, "{session}");
    assert_eq!(session["billed"]["models_without_price"], json!([]));
    // 3 * (1,000 * 1.25 + 10 * 10) millionths of a dollar.
    let dollars = session["billed"]["usd"].as_f64().unwrap();
    assert!((dollars - 0.004_05).abs() < 1e-9, "{dollars}");
}

/// Codex records what a request was billed for after the answer, and maybe after results of its calls.
#[test]
fn a_request_of_codex_is_as_old_as_its_answer() {
    let env = TestEnv::new();
    let path = env.home().join(".codex/sessions/2026/03/01/rollout-2026-03-01-x.jsonl");
    let line = |kind: &str, millis: u32, payload: Value| json!({ "timestamp": format!("2026-03-01T10:00:00.{millis:03}Z"), "type": kind, "payload": payload });
    let item = |millis, payload| line("response_item", millis, payload);
    let user = |millis, text: &str| {
        let content = json!([{ "type": "input_text", "text": text }]);
        item(millis, json!({ "type": "message", "role": "user", "content": content }))
    };
    let call = |millis, id: &str| {
        let call = json!({ "type": "function_call", "name": "exec_command", "call_id": id, "arguments": "{\"cmd\":\"make\"}" });
        item(millis, call)
    };
    let result = |millis, id: &str| {
        item(millis, json!({ "type": "function_call_output", "call_id": id, "output": "made" }))
    };
    let request = |millis, id: &str| {
        let usage = json!({ "input_tokens": 1_000, "cached_input_tokens": 0, "output_tokens": 10 });
        line("token_usage_record", millis, json!({ "response_id": id, "usage": usage }))
    };
    let lines = [
        line("session_meta", 0, json!({ "id": "past-9", "cwd": env.project() })),
        user(10, "Make it"),
        call(100, "c1"),
        result(120, "c1"),
        call(130, "c2"),
        request(140, "r1"),
        result(200, "c2"),
        call(300, "c3"),
        // Interrupted: this answer has no request.
        user(400, "Make it twice"),
        call(500, "c4"),
        request(510, "r2"),
        // An answer of which nothing was recorded.
        request(600, "r3"),
    ];
    write(&path, &lines);
    import(&env, &[]).ok();
    let connection = rusqlite::Connection::open(env.database()).unwrap();
    let mut rows = connection
        .prepare("SELECT request, created % 1000 FROM model_request ORDER BY request")
        .unwrap();
    let times: Vec<(String, i64)> = rows
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected = [("r1", 100), ("r2", 500), ("r3", 600)];
    assert_eq!(times, expected.map(|(id, millis)| (id.to_owned(), millis)));
}

#[test]
fn opencode_conversations_are_imported_from_its_database() {
    let env = TestEnv::new();
    let folder = env.home().join("xdg-data/opencode");
    fs::create_dir_all(&folder).unwrap();
    let database = rusqlite::Connection::open(folder.join("opencode.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, time_created INTEGER);
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);",
        )
        .unwrap();
    let add = |table: &str, values: &[&str]| {
        let placeholders: Vec<String> =
            (1..=values.len()).map(|index| format!("?{index}")).collect();
        let sql = format!("INSERT INTO {table} VALUES ({})", placeholders.join(", "));
        database.execute(&sql, rusqlite::params_from_iter(values)).unwrap();
    };
    add("session", &["ses_1", env.project().to_str().unwrap(), "1"]);
    add("message", &["m1", "ses_1", r#"{"role":"user","time":{"created":1772359200000}}"#]);
    add("part", &["p1", "m1", "ses_1", r#"{"type":"text","text":"Count the spoonbills"}"#]);
    add("message", &["m2", "ses_1", r#"{"role":"assistant","time":{"created":1772359200001}}"#]);
    let tool = json!({ "type": "tool", "tool": "bash", "callID": "c", "state": { "status": "completed", "input": { "command": "make" }, "output": build_log() } });
    add("part", &["p2", "m2", "ses_1", &tool.to_string()]);

    let data = import(&env, &["--json"]).ok().json();
    assert_eq!(
        (data["turns"].as_u64(), data["tool_results"].as_u64()),
        (Some(1), Some(1)),
        "{data}"
    );
    assert_eq!(import(&env, &[]).ok().text(), "nothing new to import");
    add("part", &["p3", "m2", "ses_1", r#"{"type":"text","text":"Nine spoonbills."}"#]);
    let message = r#"{"role":"assistant","providerID":"anthropic","modelID":"claude-opus-5","time":{"created":1772359200002}}"#;
    add("message", &["m3", "ses_1", message]);
    let step = r#"{"type":"step-finish","tokens":{"input":9,"output":2,"reasoning":1,"cache":{"read":7,"write":5}}}"#;
    add("part", &["p4", "m3", "ses_1", step]);
    assert_eq!(import(&env, &["--json"]).ok().json()["turns"], 1);
    assert!(env.forebay(["search", "nine spoonbills"]).ok().text().contains("Nine spoonbills"));
    let requests = env.forebay(["stats", "--json"]).ok().json()["project"]["requests"].clone();
    let counted =
        ["count", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"];
    assert_eq!(counted.map(|name| requests[name].as_u64().unwrap()), [1, 9, 7, 5, 3]);
}

#[test]
fn imported_secrets_are_redacted() {
    let env = TestEnv::new();
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    write(
        &claude_file(&env, "s.jsonl"),
        &[claude_line(&env.project(), 1, "user", json!(format!("my token is {secret}")))],
    );
    let text = import(&env, &[]).ok().text();
    assert!(text.contains("redacted"), "{text}");
    let found = env.forebay(["search", "my token is"]).ok().text();
    assert!(found.contains("[redacted:") && !found.contains(secret), "{found}");
}

#[test]
fn path_without_a_transcript_is_an_error() {
    let env = TestEnv::new();
    env.write("notes.txt", "nothing of the kind\n");
    import(&env, &["notes.txt"]).refused(2, "contains no transcript", "without a path");
    import(&env, &["absent"]).refused(1, "does not exist", "a folder");
    assert_eq!(import(&env, &[]).ok().text(), "nothing new to import");
}

#[test]
fn denied_transcript_is_not_imported() {
    let env = TestEnv::new();
    let file = claude_file(&env, "past-1.jsonl");
    write(&file, &conversation(&env.project()));
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    env.write(
        ".claude/settings.json",
        r#"{"permissions": {"deny": ["Read(~/.claude/projects/**)"]}}"#,
    );
    assert_eq!(import(&env, &[]).ok().text(), "nothing new to import");
    import(&env, &[file.to_str().unwrap()]).refused(126, "denies", "");
}

#[test]
fn replay_reports_possible_savings_per_tool() {
    let env = TestEnv::new();
    let cwd = env.project();
    let mut lines = conversation(&cwd);
    lines.push(claude_line(
        &cwd,
        8,
        "assistant",
        json!([{ "type": "tool_use", "id": "t2", "name": "Read", "input": { "file_path": "a" } }]),
    ));
    lines.push(claude_line(
        &cwd,
        9,
        "user",
        json!([{ "type": "tool_result", "tool_use_id": "t2", "content": build_log() }]),
    ));
    write(&claude_file(&env, "past-1.jsonl"), &lines);
    let data = env.forebay(["replay", "--json"]).ok().json();
    let bash = &data["tools"]["Bash"];
    assert_eq!((bash["calls"].as_u64(), bash["replaced"].as_u64()), (Some(1), Some(1)), "{data}");
    let (shown, saved) =
        (bash["shown_tokens"].as_u64().unwrap(), bash["saved_tokens"].as_u64().unwrap());
    assert!(shown > 8_000 && saved > shown * 9 / 10 && saved < shown, "{data}");
    assert_eq!(data["tools"]["Read"]["saved_tokens"], 0, "file reads are never replaced");
    // The mod of this host replaces the result of a failed call.
    lines.push(claude_line(
        &cwd,
        10,
        "assistant",
        json!([{ "type": "tool_use", "id": "t3", "name": "Bash", "input": { "command": "make" } }]),
    ));
    lines.push(claude_line(
        &cwd,
        11,
        "user",
        json!([{ "type": "tool_result", "tool_use_id": "t3", "content": build_log(), "is_error": true }]),
    ));
    write(&claude_file(&env, "past-1.jsonl"), &lines);
    let with_failure = env.forebay(["replay", "--json"]).ok().json()["tools"]["Bash"].clone();
    assert_eq!((&with_failure["calls"], &with_failure["replaced"]), (&json!(2), &json!(2)));
    assert!(with_failure["saved_tokens"].as_u64().unwrap() > saved, "{with_failure}");
    let text = env.forebay(["replay"]).ok().text();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("Bash") && text.contains("estimated"), "{text}");
    assert!(
        !env.data().join("projects").exists()
            || env.forebay(["search", "flamingo"]).ok().text().contains("no"),
        "nothing is stored"
    );
}
