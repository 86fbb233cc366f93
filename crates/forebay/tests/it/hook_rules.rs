//! Permission rules in pre-tool hooks: a valid deny rule denies, and nothing else does.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::hook_host::{Host, call, log_lines};

fn with_rules(rules: &Value) -> TestEnv {
    let env = TestEnv::new();
    fs::create_dir(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", json!({ "permissions": rules }).to_string());
    env
}

#[test]
fn deny_rules_match_any_spelling() {
    let env = with_rules(&json!({
        "deny": ["Bash(sudo:*)", "Read(**/.env)", "WebFetch(domain:evil.example)", "mcp__db"],
        "ask": ["Bash(git push:*)"],
    }));
    let host = Host::new(&env);
    let decision = |name: &str, input: Value| {
        let output = host.before_tool(name, input).ok();
        if output.stdout.is_empty() {
            return String::new();
        }
        output.answer()["permissionDecision"].as_str().unwrap().to_owned()
    };
    assert_eq!(decision("Bash", json!({ "command": "su\"\"do ls" })), "deny");
    assert_eq!(decision("Bash", json!({ "command": "cat .env" })), "deny");
    assert_eq!(decision("Read", json!({ "file_path": env.project().join("x/.env") })), "deny");
    assert_eq!(decision("Grep", json!({ "pattern": "KEY", "path": "x/.env" })), "deny");
    assert_eq!(decision("WebFetch", json!({ "url": "https://evil.example/x" })), "deny");
    assert_eq!(decision("mcp__db__query", json!({ "sql": "x" })), "deny");
    assert_eq!(decision("Bash", json!({ "command": "git push origin" })), "ask");
    for (name, input) in [
        ("Bash", json!({ "command": "curl https://example.org" })),
        ("WebFetch", json!({ "url": "https://example.org" })),
        ("Read", json!({ "file_path": "/etc/hosts" })),
        ("TodoWrite", json!({ "todos": [] })),
    ] {
        assert_eq!(decision(name, input.clone()), "", "{name} {input}");
    }
    assert!(!env.data().join("projects").exists(), "rules need no store");
}

#[test]
fn invalid_rule_file_denies_nothing_and_hides_no_other_rules() {
    let env = with_rules(&json!({ "deny": ["Bash(sudo:*)"] }));
    env.write(".claude/settings.local.json", "{ not json");
    env.forebay(["note", "so that there is a log"]).ok();
    let host = Host::new(&env);
    let denied = host.before_tool("Bash", json!({ "command": "sudo ls" })).answer();
    assert_eq!(denied["permissionDecision"], "deny");
    host.before_tool("Bash", json!({ "command": "ls" })).silent();
    assert!(log_lines(&env).iter().any(|line| line.contains("settings.local.json")));
}

#[test]
fn deny_rule_applies_without_a_data_folder_or_session() {
    let env = with_rules(&json!({ "deny": ["Bash(sudo:*)"] }));
    // The data folder is a file, and the payload has no session id.
    fs::write(env.data(), "x").unwrap();
    let payload = json!({
        "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": "sudo ls" },
    });
    let output = call(&env, "claude-code", "PreToolUse", payload.to_string().as_bytes());
    assert_eq!(output.answer()["permissionDecision"], "deny");
}

#[test]
fn denial_uses_the_format_of_each_host() {
    let env = with_rules(&json!({ "deny": ["Bash(sudo:*)"] }));
    let deny = |platform: &str, event: &str, payload: Value| {
        call(&env, platform, event, payload.to_string().as_bytes())
    };
    let cwd = env.project();
    let input = json!({ "command": "sudo ls" });
    let gemini = deny(
        "gemini-cli",
        "BeforeTool",
        json!({ "session_id": "s", "cwd": cwd, "hook_event_name": "BeforeTool",
                "tool_name": "run_shell_command", "tool_input": input }),
    );
    assert_eq!(gemini.json()["decision"], "deny");
    let kiro = deny(
        "kiro",
        "preToolUse",
        json!({ "cwd": cwd, "hook_event_name": "preToolUse", "tool_name": "execute_bash",
                "tool_input": input }),
    );
    assert_eq!(kiro.code(), Some(2), "{kiro:?}");
    assert!(kiro.stderr.contains("denied") && kiro.stdout.is_empty(), "{kiro:?}");
}

/// VS Code cannot replace results, so the hook rewrites the command to run through Forebay.
#[test]
fn command_is_rewritten_only_if_its_result_cannot_be_replaced() {
    let env = with_rules(&json!({ "deny": ["Bash(sudo:*)"] }));
    let before = |platform: &str, tool: &str, command: &str| {
        let payload = json!({
            "session_id": "s", "cwd": env.project(), "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": { "command": command },
        });
        call(&env, platform, "PreToolUse", payload.to_string().as_bytes())
    };
    let vscode = before("vscode-copilot", "run_in_terminal", "git log");
    let command = vscode.answer()["updatedInput"]["command"].as_str().unwrap().to_owned();
    assert!(
        command.contains("forebay run --digest ") && command.ends_with("-- 'git log'"),
        "{command}"
    );
    before("vscode-copilot", "run_in_terminal", "cd x && make").silent();
    before("claude-code", "Bash", "git log").silent();
    let denied = before("vscode-copilot", "run_in_terminal", "sudo git log");
    assert_eq!(denied.answer()["permissionDecision"], "deny");
}

#[test]
fn rules_of_the_start_hold_until_the_user_starts_anew() {
    let env = with_rules(&json!({ "deny": ["Bash(sudo:*)"] }));
    let host = Host::new(&env);
    host.hook("SessionStart", json!({ "source": "startup" })).ok();
    fs::rename(env.project().join(".claude"), env.project().join("elsewhere")).unwrap();
    for event in ["compact", ""] {
        if !event.is_empty() {
            host.hook("SessionStart", json!({ "source": event })).ok();
        }
        let denied = host.before_tool("Bash", json!({ "command": "sudo ls" })).answer();
        assert_eq!(denied["permissionDecision"], "deny");
        let reason = denied["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("is no longer in"), "{reason}");
    }
    host.hook("SessionStart", json!({ "source": "resume" })).ok();
    host.before_tool("Bash", json!({ "command": "sudo ls" })).silent();
}

/// The attack: a run makes a repository or a settings file in a folder, and the host, which says only where it is, enters.
#[test]
fn a_repository_that_is_made_in_the_project_is_no_way_out_of_its_rules() {
    let rules = json!({ "permissions": { "deny": ["Bash(sudo:*)"] } }).to_string();
    let decide = |env: &TestEnv, session: &str, folder: &str, command: &str| {
        let payload = json!({
            "session_id": session, "cwd": env.project().join(folder), "tool_name": "Bash",
            "hook_event_name": "PreToolUse", "tool_input": { "command": command },
        });
        let told = call(env, "codex", "PreToolUse", payload.to_string().as_bytes());
        String::from_utf8(told.ok().stdout).unwrap()
    };
    for made in [".git/HEAD", ".forebay.toml"] {
        let env = TestEnv::new();
        fs::create_dir(env.project().join(".claude")).unwrap();
        env.write(".claude/settings.json", &rules);
        if made == ".forebay.toml" {
            // In a repository, such a file makes no project.
            fs::remove_dir_all(env.project().join(".git")).unwrap();
        }
        assert!(decide(&env, "one", "", "sudo ls").contains("deny"), "{made}");
        let inside = env.project().join("sub").join(made);
        fs::create_dir_all(inside.parent().unwrap()).unwrap();
        fs::write(&inside, if made.ends_with("HEAD") { "ref: refs/heads/main\n" } else { "" })
            .unwrap();
        assert!(decide(&env, "one", "sub", "sudo ls").contains("deny"), "{made}");
        fs::rename(env.project().join(".claude"), env.project().join("gone")).unwrap();
        let held = decide(&env, "one", "sub", "sudo ls");
        assert!(held.contains("deny") && held.contains("is no longer in"), "{made}: {held}");
        // The control: for a conversation that begins there, it is a project of its own.
        fs::rename(env.project().join("gone"), env.project().join(".claude")).unwrap();
        assert_eq!(decide(&env, "two", "sub", "sudo ls"), "", "{made}");
        // Rules inside count as well, whichever the host has met first.
        fs::create_dir(env.project().join("sub/.claude")).unwrap();
        env.write(
            "sub/.claude/settings.json",
            json!({ "permissions": { "deny": ["Bash(rm:*)"] } }).to_string(),
        );
        for session in ["one", "two"] {
            assert!(decide(&env, session, "sub", "rm x").contains("deny"), "{made} {session}");
        }
        assert!(decide(&env, "two", "", "sudo ls").contains("deny"), "{made}");
        assert!(decide(&env, "two", "sub", "rm x").contains("deny"), "{made}");
    }
}

/// What can be read holds, and nothing waits for what cannot.
#[test]
fn deny_rule_applies_beside_files_that_never_end() {
    let env = with_rules(&json!({ "deny": ["Bash(sudo:*)"] }));
    let pipe = |path: std::path::PathBuf| {
        let kind = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
    };
    fs::create_dir_all(env.project().join(".codex/rules")).unwrap();
    pipe(env.project().join(".codex/rules/a.rules"));
    pipe(env.project().join("opencode.json"));
    symlink("/dev/zero", env.project().join(".claude/settings.local.json")).unwrap();
    symlink("/dev/zero", env.project().join(".forebay.toml")).unwrap();
    fs::create_dir_all(env.data()).unwrap();
    fs::write(env.data().join("settings.toml"), "not toml [").unwrap();
    let started = Instant::now();
    let denied = Host::new(&env).before_tool("Bash", json!({ "command": "sudo ls" })).answer();
    assert_eq!(denied["permissionDecision"], "deny");
    assert!(started.elapsed() < Duration::from_secs(5), "nothing waits");
    fs::remove_file(env.data().join("settings.toml")).unwrap();
    env.forebay(["run", "--", "true"]).refused(2, "a device, not a regular file", "remove it");
    fs::remove_file(env.project().join(".forebay.toml")).unwrap();
    env.forebay(["run", "--", "true"]).refused(2, "not a regular file", "fix the file");
}

#[test]
fn walks_do_not_wait_for_ignore_files() {
    let env = TestEnv::new();
    env.write("a.txt", "text about nothing\n");
    fs::create_dir(env.project().join("deep")).unwrap();
    env.write("deep/b.txt", "other text\n");
    let pipe = |name: &str| {
        let kind = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let path = env.project().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
    };
    pipe("deep/.gitignore");
    let indexed = env.forebay(["index", "."]).ok().text();
    assert!(indexed.contains("1 file"), "{indexed}");
    pipe(".ignore");
    env.forebay(["index", "."]).refused(2, "an ignore file in", "remove or fix");
    env.forebay(["map"]).refused(2, "an ignore file in", "remove or fix");
}
