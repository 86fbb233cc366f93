//! What hooks answer to Forebay's mod, which hands over tool results as they enter the conversation.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish, reference_in};
use crate::hook_host::Host;

/// The variable in which the mod names its session to command hooks.
const MOD_SESSION: &str = "FOREBAY_MOD";

fn long_log() -> String {
    (0..3_000).map(|number| format!("{number} worked on item {}\n", number * 7)).collect()
}

impl Host<'_> {
    /// Hands over a result as the model would get it.
    fn handed_over(&self, tool: &str, input: Value, text: &str) -> Output {
        let fields = json!({
            "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
            "tool_response": text, "is_error": text.starts_with("Exit code"),
        });
        self.hook("ToolResult", fields)
    }

    /// Reports a failed command to the command hook, in a process that has the mod's variable.
    fn failed_beside_mod(&self, mod_session: &str, text: &str) -> Output {
        let mut command = self.env.command(["hook", "claude-code", "PostToolUseFailure"]);
        command.env(MOD_SESSION, mod_session);
        let payload = json!({
            "session_id": self.session, "cwd": self.env.project(), "tool_name": "Bash",
            "hook_event_name": "PostToolUseFailure", "tool_input": { "command": "make all" },
            "error": format!("Exit code 2\n{text}"),
        });
        finish(command, payload.to_string().as_bytes())
    }
}

fn history(env: &TestEnv) -> String {
    env.forebay(["history", "--all"]).ok().text()
}

#[test]
fn failed_result_becomes_a_digest_and_is_stored_once() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let log = format!("{}make: *** [all] Error 2\n", long_log());
    host.failed_beside_mod(host.session, &log).silent();
    let input = json!({ "command": "make all" });
    let answer = host.handed_over("Bash", input, &format!("Exit code 2\n{log}")).answer();
    let text = answer["updatedToolOutput"].as_str().unwrap();
    assert!(text.len() < 1_700 && text.contains("] exit 2 · 3,001 lines"), "{text}");
    assert!(text.contains("make: *** [all] Error 2"), "{text}");
    let raw = env.forebay(["get", "--raw", &reference_in(text)]).ok();
    assert_eq!(raw.stdout, log.as_bytes(), "the exit code is not part of the output");
    assert_eq!(history(&env).matches("[ctx:").count(), 1, "{}", history(&env));
    // The command hook still records the failure.
    let events = env.forebay(["history", "--all", "--events", "all"]).ok().text();
    assert!(events.contains("make all"), "{events}");
}

#[test]
fn without_the_mod_the_command_hook_stores_a_failed_result() {
    let env = TestEnv::new();
    let context = Host::new(&env).failed_beside_mod("another session", &long_log()).context();
    assert!(context.contains("it is stored as [ctx:"), "{context}");
}

#[test]
fn every_text_is_replaced_but_that_of_file_tools_and_our_own() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let log = long_log();
    for tool in ["Bash", "Grep", "Agent", "Workflow", "mcp__gh__list", "WebFetch"] {
        let answer = host.handed_over(tool, json!({}), &log).answer();
        assert!(answer["updatedToolOutput"].as_str().unwrap().starts_with("[ctx:"), "{tool}");
    }
    for tool in ["Read", "Edit", "Skill", "ExitPlanMode", "mcp__forebay__ctx_get"] {
        host.handed_over(tool, json!({}), &log).silent();
    }
    host.handed_over("Bash", json!({ "command": "make" }), "short\n").silent();
    host.handed_over("Bash", json!({ "command": "forebay get --raw x" }), &log).silent();
    env.write(".forebay.toml", "hooks.never = [\"Agent\"]\n");
    host.handed_over("Agent", json!({}), &log).silent();
}

#[test]
fn text_that_the_host_cut_is_reported_as_a_part() {
    let env = TestEnv::new();
    let text =
        format!("Exit code 1\n{}\n\n... [20012 characters truncated] ...\n\nend", long_log());
    let answer = Host::new(&env).handed_over("Bash", json!({ "command": "make" }), &text).answer();
    let text = answer["updatedToolOutput"].as_str().unwrap();
    assert!(text.contains("cut by the host: it passed on a part"), "{text}");
}

/// Starts a session of Claude Code of this version.
fn start(host: &Host<'_>, version: &str) {
    let mut command = host.env.command(["hook", "claude-code", "SessionStart"]);
    command.env("AI_AGENT", format!("claude-code_{}_harness", version.replace('.', "-")));
    let payload = json!({
        "session_id": host.session, "cwd": host.env.project(),
        "hook_event_name": "SessionStart", "source": "startup",
    });
    finish(command, payload.to_string().as_bytes()).ok();
    host.prompt("a first request that is recorded");
}

#[track_caller]
fn assert_doctor_says(env: &TestEnv, expected: &str) {
    let text = env.forebay(["doctor"]).text();
    assert!(text.contains(expected), "{expected} in\n{text}");
}

#[test]
fn doctor_says_whether_the_mod_ran_in_the_last_session_and_why_not() {
    let env = TestEnv::new();
    let old = Host { session: "old", ..Host::new(&env) };
    start(&old, "2.1.200");
    let start = |session| {
        let host = Host { session, ..Host::new(&env) };
        start(&host, "2.1.326");
        host
    };
    assert_doctor_says(
        &env,
        "note   mod         Claude Code 2.1.200 did not run it in the last session: mods need 2.1.287 or later",
    );
    start("unknown reason");
    assert_doctor_says(
        &env,
        "Claude Code 2.1.326 did not run it in the last session: `claude --debug`",
    );
    let settings = env.home().join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, r#"{"disableAllHooks": true}"#).unwrap();
    assert_doctor_says(&env, &format!("`disableAllHooks` in {} forbids it", settings.display()));
    std::fs::remove_file(settings).unwrap();
    start("with the mod").hook("ModLoaded", json!({})).silent();
    assert_doctor_says(&env, "ok     mod         Claude Code 2.1.326 ran it in the last session");
    finish(env.command(["init", "claude-code", "--user", "--yes"]), b"").ok();
    std::fs::remove_file(env.home().join(".claude/skills/forebay/hooks/forebay.ts")).unwrap();
    start("not installed");
    assert_doctor_says(&env, "`forebay init claude-code` installs it");
}
