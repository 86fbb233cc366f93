//! What hooks answer to Forebay's mod, which hands over tool results as they enter the conversation.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish, reference_in};
use crate::hook_host::Host;

/// The variable in which the mod names its session to command hooks.
const MOD_SESSION: &str = "FOREBAY_MOD";

/// The variable of `hooks.whole_output`.
const WHOLE_OUTPUT: &str = "FOREBAY_HOOKS_WHOLE_OUTPUT";

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
fn start_version(host: &Host<'_>, version: &str) {
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
    start_version(&old, "2.1.200");
    let start = |session| {
        let host = Host { session, ..Host::new(&env) };
        start_version(&host, "2.1.326");
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
    // Only an administrator's settings can allow nothing but managed hooks.
    std::fs::write(&settings, r#"{"allowManagedHooksOnly": true}"#).unwrap();
    assert_doctor_says(&env, "did not run it in the last session: `claude --debug`");
    std::fs::remove_file(&settings).unwrap();
    start("with the mod").hook("ModLoaded", json!({})).silent();
    assert_doctor_says(&env, "ok     mod         Claude Code 2.1.326 ran it in the last session");
    // What forbids it since is said although the last session ran it.
    std::fs::write(&settings, r#"{"disableAllHooks": true}"#).unwrap();
    assert_doctor_says(&env, "Claude Code 2.1.326 does not run it: `disableAllHooks` in ");
    std::fs::remove_file(&settings).unwrap();
    let newer = Host { session: "newer", ..Host::new(&env) };
    start_version(&newer, "99.0.1");
    newer.hook("ModLoaded", json!({})).silent();
    assert_doctor_says(&env, "Claude Code 99.0.1 (newer than 2.");
    finish(env.command(["init", "claude-code", "--user", "--yes"]), b"").ok();
    let module = env.home().join(".claude/skills/forebay/hooks/forebay.ts");
    start("installed, and not loaded");
    assert_doctor_says(&env, "did not run it in the last session: `claude --debug`");
    let broken = std::fs::read_to_string(&module).unwrap() + "}";
    std::fs::write(&module, broken).unwrap();
    assert_doctor_says(
        &env,
        "skills/forebay/hooks/forebay.ts was changed, or is of another version",
    );
    std::fs::remove_file(&module).unwrap();
    start("not installed");
    assert_doctor_says(&env, "`forebay init claude-code` installs it");
}

/// What the command hook makes of a command that Claude Code allows without asking; `None` if it stays.
fn rewritten(env: &TestEnv, allowed: &str, command: &str) -> Option<String> {
    rewritten_if(env, "true", allowed, command)
}

fn rewritten_if(env: &TestEnv, setting: &str, allowed: &str, command: &str) -> Option<String> {
    let host = Host::new(env);
    let mut hook = env.command(["hook", "claude-code", "PreToolUse"]);
    hook.env(MOD_SESSION, host.session).env("FOREBAY_MOD_ALLOWED", allowed);
    hook.env(WHOLE_OUTPUT, setting);
    let payload = json!({
        "session_id": host.session, "cwd": env.project(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": { "command": command },
    });
    let output = finish(hook, payload.to_string().as_bytes());
    if output.stdout.is_empty() {
        return None;
    }
    output.answer()["updatedInput"]["command"].as_str().map(str::to_owned)
}

/// Runs a command line in bash, after `prelude`.
fn in_bash(env: &TestEnv, prelude: &str, line: &str) -> Output {
    let mut bash = env.program("bash");
    bash.args(["-c", "shopt -s expand_aliases; eval \"$1\"; eval \"$2\"", "bash", prelude, line]);
    finish(bash, b"")
}

#[test]
fn output_of_a_failing_command_is_kept_in_full() {
    let env = TestEnv::new();
    let command = "seq 1 20000 # all\nls /gone";
    let wrapped = rewritten(&env, "toolu_0 toolu_1", command).unwrap();
    let output = in_bash(&env, "", &wrapped);
    assert_eq!(output.code(), Some(2), "{output:?}");
    let text = output.text();
    assert!(text.contains("exit 2") && text.contains("/gone"), "{text}");
    let raw = env.forebay(["get", "--raw", &reference_in(&text)]).ok().text();
    assert!(raw.contains("\n19999\n20000\n"), "stored in full");
    // A short output looks as without Forebay, and so does the command in the record.
    let wrapped = rewritten(&env, "toolu_1", "ls /gone").unwrap();
    let short = in_bash(&env, "", &wrapped);
    let plain = in_bash(&env, "", "ls /gone 2>&1");
    assert_eq!((short.code(), short.stdout), (plain.code(), plain.stdout));
    Host::new(&env).failed(&wrapped, "ls: cannot access '/gone'");
    let events = env.forebay(["history", "--all", "--events", "all"]).ok().text();
    assert!(events.contains("ls /gone") && !events.contains("BASH_VERSION"), "{events}");
}

#[test]
fn only_commands_that_are_the_same_in_a_process_of_their_own_are_wrapped() {
    let env = TestEnv::new();
    assert!(rewritten(&env, "toolu_1", "cargo test").is_some());
    assert!(rewritten(&env, "toolu_2", "cargo test").is_none(), "it might be asked about");
    for command in [
        "cd app && make",
        "export A=1; make",
        "sudo make install",
        "make &",
        "vim x",
        "cat <<EOF\nx\nEOF",
        "make > log",
        "grep -rn x .",
        "git diff --exit-code",
        "$PROGRAM x",
        "echo done",
        "forebay get x",
    ] {
        assert_eq!(rewritten(&env, "toolu_1", command), None, "{command}");
    }
    // A name that is an alias or a function in the host's shell keeps its meaning.
    let wrapped = rewritten(&env, "toolu_1", "seq 1 3").unwrap();
    for prelude in ["seq() { echo function; }", "alias seq='echo alias'"] {
        let text = in_bash(&env, prelude, &wrapped).ok().text();
        assert!(prelude.contains(text.split_whitespace().next().unwrap()), "{prelude}: {text}");
    }
    assert_eq!(rewritten_if(&env, "false", "toolu_1", "cargo test"), None);
}

#[test]
fn rules_of_forebay_itself_are_not_met_by_surprise() {
    let env = TestEnv::new();
    std::fs::create_dir(env.project().join(".claude")).unwrap();
    let rules = r#"{"permissions": {"ask": ["Bash(cargo publish:*)"]}}"#;
    std::fs::write(env.project().join(".claude/settings.json"), rules).unwrap();
    assert!(rewritten(&env, "toolu_1", "cargo test").is_some());
    assert!(rewritten(&env, "toolu_1", "cargo publish").is_none());
    env.write(".forebay.toml", "rules.unmatched = \"ask\"\n");
    assert!(rewritten(&env, "toolu_1", "cargo test").is_none());
}

#[test]
fn mod_is_told_whether_commands_are_wrapped() {
    let env = TestEnv::new();
    let loaded = |setting: &str| {
        let mut hook = env.command(["hook", "claude-code", "ModLoaded"]);
        hook.env(WHOLE_OUTPUT, setting);
        let payload =
            json!({ "session_id": "s", "cwd": env.project(), "hook_event_name": "ModLoaded" });
        finish(hook, payload.to_string().as_bytes())
    };
    loaded("false").silent();
    assert_eq!(loaded("true").answer()["wrapCommands"], true);
}
