//! Sessions: after compaction the guide reports what happened, correctly and within its budget.

use std::fs;

use serde_json::json;

use crate::env::{TestEnv, check_out};
use crate::hook_host::Host;
use crate::texts::tokens;

/// Reports a complete task list, as the model writes it.
fn write_todos(host: &Host<'_>, items: &[(&str, &str)]) {
    let items: Vec<_> =
        items.iter().map(|(text, state)| json!({ "content": text, "status": state })).collect();
    host.tool("TodoWrite", json!({ "todos": items }), json!({ "oldTodos": [] })).silent();
}

/// Sends unimportant calls: reads, searches and small commands.
fn send_noise(host: &Host<'_>, from: usize, to: usize) {
    for number in from..to {
        let path = host.env.project().join(format!("src/module_{number}.rs"));
        match number % 4 {
            0 => drop(host.tool("Read", json!({ "file_path": path }), json!({ "type": "text" }))),
            1 => drop(host.ran(&format!("grep -rn thing_{number} src"), "src/a.rs:1: thing\n")),
            2 => drop(host.tool("mcp__gh__list", json!({ "page": number }), json!([]))),
            _ => drop(host.ran(&format!("wc -l src/module_{number}.rs"), "120 passed, 0 failed\n")),
        }
    }
}

const FILES: [&str; 12] = [
    "src/login.rs",
    "src/session.rs",
    "src/store.rs",
    "src/routes.rs",
    "src/main.rs",
    "src/error.rs",
    "tests/login.rs",
    "tests/store.rs",
    "docs/login.md",
    "migrations/1.sql",
    "Cargo.toml",
    "README.md",
];

/// A session of 500 hook calls with planted facts.
#[test]
#[expect(clippy::too_many_lines, reason = "a long session reads best in order")]
fn guide_of_a_long_session_is_correct_within_a_thousand_tokens() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    check_out(&env.project(), "feat/ABC-12-login");
    for folder in ["src", "tests", "docs", "migrations"] {
        fs::create_dir(env.project().join(folder)).unwrap();
    }
    for file in FILES {
        env.write(file, "x\n");
    }
    host.start("startup");
    host.prompt("We want to build the login. Let's go with Postgres for the store.");
    host.prompt("Use pnpm, not npm.");
    send_noise(&host, 0, 120);
    let plan = json!({ "plan": "1. schema of users\n2. login route\n3. tests of both" });
    host.tool("ExitPlanMode", plan, json!({})).silent();
    write_todos(&host, &[("Write the schema", "in_progress"), ("Old idea", "pending")]);
    // Two decisions are superseded, three remain.
    host.prompt("Let's use SQLite for the store.");
    host.prompt("Use yarn instead of pnpm");
    host.prompt("We'll use argon2 for the passwords.");
    send_noise(&host, 120, 240);
    for file in FILES {
        host.edited(file);
    }
    host.edited("src/login.rs");
    // Four errors, three of them resolved.
    host.failed("cargo test", "error[E0308]: mismatched types");
    host.failed("cargo build", "error: could not compile `app`");
    host.failed("npm run lint", "error: 3 problems");
    host.failed("cargo clippy", "error: unused variable `user`");
    host.failed("cargo clippy", "error: unused variable `user`");
    send_noise(&host, 240, 360);
    host.ran("cargo build", "Finished\n");
    host.ran("cargo test 2>&1 | tail -5", "test result: ok. 120 passed; 0 failed\n");
    host.ran("npm run lint", "no problems\n");
    send_noise(&host, 360, 460);
    write_todos(
        &host,
        &[
            ("Write the schema", "completed"),
            ("Add the login route", "in_progress"),
            ("Hash the passwords", "pending"),
            ("Expire old sessions", "pending"),
            ("Limit the attempts", "pending"),
            ("Test the route", "pending"),
            ("Describe it in docs", "pending"),
        ],
    );
    host.prompt("Thanks, that looks nice");
    let last =
        "Now finish the login route, and then\ntell me what is still missing: I have 10 minutes.";
    host.prompt(last);
    assert!(host.hook("PreCompact", json!({ "trigger": "auto" })).ok().text().contains("ctx:"));

    let guide = host.start("compact");
    assert!(tokens(&guide) <= 1_000 && guide.len() <= 4_000, "{} bytes: {guide}", guide.len());
    let quoted = format!("> {}", last.replace('\n', "\n> "));
    assert!(guide.contains(&quoted), "verbatim: {guide}");
    for open in [
        "Add the login route",
        "Hash the passwords",
        "Expire old sessions",
        "Limit the attempts",
        "Test the route",
        "Describe it in docs",
    ] {
        assert!(guide.contains(open), "{open}: {guide}");
    }
    assert!(
        guide.contains("Open tasks (6)") && guide.contains("[in progress] Add the login route")
    );
    let line_of = |words: &str| guide.lines().find(|line| line.contains(words)).unwrap_or_default();
    for said in ["Let's use SQLite for the store.", "We'll use argon2 for the passwords."] {
        assert!(guide.contains(&format!("- {said}")), "{said}: {guide}");
    }
    assert!(guide.find("Let's use SQLite") < guide.find("Postgres"), "newest first: {guide}");
    assert!(line_of("Use pnpm").contains("Use yarn instead of pnpm (earlier:"), "{guide}");
    for stale in [
        "Old idea",
        "Write the schema",
        "mismatched types",
        "could not compile",
        "3 problems",
        "looks nice",
    ] {
        assert!(!guide.contains(stale), "{stale}: {guide}");
    }
    assert!(
        guide.contains("`cargo clippy`: error: unused variable `user` (failed 2 times)"),
        "{guide}"
    );
    for file in FILES {
        assert!(guide.contains(file), "{file}: {guide}");
    }
    assert!(guide.contains("files changed (12)") && guide.contains("src/login.rs (×2)"), "{guide}");
    assert!(guide.contains("branch: feat/ABC-12-login"), "{guide}");
    for step in ["1. schema of users", "2. login route", "3. tests of both"] {
        assert!(guide.contains(step), "{step}: {guide}");
    }
    let first_two_kilobytes = &guide[..guide.floor_char_boundary(2_048)];
    for important in [quoted.as_str(), "Describe it in docs", "argon2", "Use yarn"] {
        assert!(first_two_kilobytes.contains(important), "{important}: {guide}");
    }
    assert!(guide.contains("data, not instructions"), "{guide}");
    assert_eq!(host.start("resume"), guide, "the guide is deterministic");
    insta::assert_snapshot!(env.redact(&guide));
}

#[test]
fn compaction_stores_a_snapshot_of_at_most_two_kilobytes() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    for number in 0..40 {
        host.prompt(&format!(
            "We'll use library-{number} for the feature-{number}. It must be fast."
        ));
    }
    host.hook("PreCompact", json!({ "trigger": "manual" })).ok();
    let found = env.forebay(["history", "--all"]).ok();
    assert!(found.text().contains("session snapshot"), "{}", found.text());
    let raw = env.forebay(["get", "--raw", &found.reference()]).ok();
    assert!((500..=2_048).contains(&raw.stdout.len()), "{}", raw.stdout.len());
    assert!(raw.text().contains("library-39"));
}

#[test]
fn guide_excludes_other_projects_and_sessions() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("Let's use SQLite for the secret project.");
    let other = env.add_project("other");
    let start = |session: &str, source: &str, cwd: &std::path::Path| {
        let payload = json!({ "session_id": session, "cwd": cwd, "source": source,
                              "hook_event_name": "SessionStart" });
        env.forebay_reading(["hook", "claude-code", "SessionStart"], payload.to_string().as_bytes())
    };
    start(host.session, "compact", &other).silent();
    start("another", "startup", &other).silent();
    start("another", "compact", &env.project()).silent();
    let overview = start("another", "startup", &env.project()).context();
    assert!(overview.contains("secret project"), "{overview}");
    assert!(tokens(&overview) <= 500);
}

#[test]
fn session_start_reports_notes_and_only_resume_reports_events() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    assert_eq!(host.start("startup"), "", "nothing is recorded yet");
    env.forebay(["note", "--kind", "decision", "--topic", "db", "we use Postgres"]).ok();
    env.forebay(["note", "--kind", "decision", "--topic", "db", "we use SQLite"]).ok();
    host.prompt("Let's go with tabs.");
    let context = host.start("startup");
    assert!(context.contains("we use SQLite") && !context.contains("Postgres"), "{context}");
    assert!(!context.contains("tabs"), "{context}");
    assert!(host.start("resume").contains("Let's go with tabs."));
    assert!(!host.start("clear").contains("tabs"));
}

/// Copilot CLI sends no session start after compaction, so the next prompt gets the guide.
#[test]
fn guide_comes_with_the_next_prompt_if_the_host_reports_no_start() {
    let env = TestEnv::new();
    let hook = |event: &str, fields: serde_json::Value| {
        let mut payload = json!({ "sessionId": "c1", "timestamp": 1, "cwd": env.project() });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        crate::hook_host::call(&env, "copilot-cli", event, payload.to_string().as_bytes()).ok()
    };
    hook("userPromptSubmitted", json!({ "prompt": "Let's use SQLite for the store." }));
    hook("preCompact", json!({ "trigger": "auto" }));
    let context = hook("userPromptSubmitted", json!({ "prompt": "go on" })).text();
    assert!(context.contains("Let's use SQLite for the store."), "{context}");
    assert!(hook("userPromptSubmitted", json!({ "prompt": "go on" })).stdout.is_empty());
}

#[test]
fn guide_excludes_tasks_of_subagents() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    write_todos(&host, &[("Ship it", "pending")]);
    let list = json!([{ "content": "Look around", "status": "pending" }]);
    host.hook(
        "PostToolUse",
        json!({
            "agent_id": "a1", "tool_name": "TodoWrite", "tool_input": { "todos": list },
            "tool_response": {},
        }),
    )
    .silent();
    let guide = host.start("compact");
    assert!(guide.contains("Ship it") && !guide.contains("Look around"), "{guide}");
}

#[test]
fn events_are_listed_reflected_and_purged_with_their_session() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    check_out(&env.project(), "feat/ABC-12-login");
    host.prompt("Let's use SQLite for the store.");
    host.failed("cargo test", "error: no");
    let listed = env.forebay(["history", "--all", "--events", "prompt"]).ok().text();
    assert!(listed.contains("· Let's use SQLite for the store."), "{listed}");
    let data = env.forebay(["history", "--all", "--events", "all", "--json"]).ok().json();
    assert_eq!(data["events"][0]["ticket"], "ABC-12");
    let reflected = env.forebay(["--session", host.session, "reflect"]).ok().text();
    assert!(reflected.contains("Last request: Let's use SQLite"), "{reflected}");
    assert!(reflected.contains("Unresolved: `cargo test`"), "{reflected}");
    env.forebay(["history", "--events", "nothing"]).refused(2, "unknown event kind", "one of");
    env.forebay(["purge", "--of-session", host.session, "--yes"]).ok();
    assert_eq!(host.start("resume"), "");
}

#[test]
fn scope_limits_a_search_to_a_ticket() {
    let env = TestEnv::new();
    check_out(&env.project(), "feat/ABC-12-login");
    let reference = env.noted("the needle of the login");
    check_out(&env.project(), "main");
    env.noted("another needle");
    let found = env.forebay(["search", "--scope", "ABC-12", "needle"]).ok().text();
    assert!(found.contains(&reference) && found.contains("1 hit"), "{found}");
    env.forebay(["search", "--scope", "ticket", "needle"]).refused(
        2,
        "no ticket in the branch name",
        "ABC-12",
    );
    check_out(&env.project(), "bug/ABC-12-again");
    assert!(env.forebay(["search", "--scope", "ticket", "needle"]).ok().text().contains("1 hit"));
}

#[test]
fn search_finds_prompts_answers_and_events_but_no_snapshots() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.start("startup");
    host.prompt("We'll use argon2 for the passwords.");
    host.answered("The walrus parser needs three passes over the quartz table.");
    host.failed("make quartz", "error: no rule to make target");
    host.hook("PreCompact", json!({ "trigger": "manual" })).ok();
    let found = env.forebay(["search", "argon2 passwords"]).ok().text();
    assert!(found.contains("1 hit") && found.contains("We'll use argon2"), "{found}");
    let found = env.forebay(["search", "walrus parser passes"]).ok().text();
    assert!(found.contains("1 hit") && found.contains("three passes"), "{found}");
    assert!(!found.contains("session snapshot"), "{found}");
    let found = env.forebay(["search", "make quartz target rule"]).ok().text();
    assert!(found.contains("event · error · "), "{found}");
    let listed = env.forebay(["history", "--all"]).ok().text();
    assert!(!listed.contains("argon2"), "the list of runs has no conversation: {listed}");
}

/// The first process to open a database replays its whole WAL, so each must leave a short one.
#[test]
fn wal_stays_short_over_many_hook_calls() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let mut longest = 0;
    for round in 0..60 {
        let line =
            |number: u64| format!("{:016x}\n", (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let text: String = (round * 2_000..round * 2_000 + 2_000).map(line).collect();
        host.ran("make all", &text);
        longest = longest.max(env.log_bytes());
    }
    assert!((1..1_400_000).contains(&longest), "{longest} bytes");
}
