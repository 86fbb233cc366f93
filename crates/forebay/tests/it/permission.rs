//! Permission rules as a user meets them: they hold for whatever runs, through every door.

use std::fs;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::mcp_client::McpClient;

impl TestEnv {
    /// Writes the rules of the project.
    fn with_rules(self, permissions: Value) -> Self {
        fs::create_dir_all(self.project().join(".claude")).unwrap();
        let settings = json!({ "permissions": permissions });
        self.write(".claude/settings.json", settings.to_string());
        self
    }

    /// Writes a file below the root, with the folders it needs.
    fn with_file(self, name: &str, text: &str) -> Self {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }
}

#[test]
fn a_denied_command_does_not_run() {
    let env = TestEnv::new().with_rules(json!({ "deny": ["Bash(touch:*)"] }));
    for line in ["touch x", "'to'uch x", "env touch x", "bash -c 'touch x'", "true && touch x"] {
        env.forebay(["run", "--", line]).refused(126, "Bash(touch:*) denies it", "rule");
    }
    env.forebay(["run", "--", "touch", "x"]).refused(126, "Bash(touch:*) denies it", "rule");
    let told = env.mcp().fault("ctx_execute", json!({ "code": "touch x" }));
    assert!(told.contains("the project rule Bash(touch:*) denies it"), "{told}");
    assert!(!env.project().join("x").exists());
    env.forebay(["run", "--", "echo fine"]).ok();
}

#[test]
fn a_denied_file_is_not_handed_to_code() {
    let env = TestEnv::new().with_rules(json!({ "deny": ["Read(.env)"] }));
    env.write(".env", "word\n");
    let code = json!({ "path": ".env", "language": "perl", "code": "print 1" });
    let told = env.mcp().fault("ctx_execute_file", code);
    assert!(told.contains("Read(.env) denies it"), "{told}");
    env.forebay(["run", "--file", ".env", "--", "cat $FILE_PATH"]).refused(126, "Read(.env)", "");
}

#[test]
fn an_engine_that_may_not_be_run_runs_no_code() {
    let env = TestEnv::new().with_rules(json!({ "deny": ["Bash(perl:*)"] }));
    env.forebay(["run", "--language", "perl", "--", "print 1"]).refused(126, "Bash(perl:*)", "");
}

/// What a program opens or starts by itself cannot be read off its command.
#[test]
#[cfg(target_os = "linux")]
fn what_is_denied_is_out_of_reach_of_programs_too() {
    let env = TestEnv::new()
        .with_rules(json!({ "deny": ["Read(**/.env*)", "Bash(sha256sum:*)", "Edit(/locked)"] }));
    fs::create_dir_all(env.project().join("deep/er")).unwrap();
    env.write("deep/er/.env.local", "s3cret-word\n");
    env.write("locked", "as it was\n");
    let perl = |code: &str| {
        let ran = env.forebay(["run", "--language", "perl", "--", code]);
        ran.text() + &ran.stderr
    };
    let read = perl("open(F, '<', 'deep/er/.env.local') or die \"$!\"; print <F>");
    assert!(!read.contains("s3cret") && read.contains("denied"), "{read}");
    let run = perl("exec('sha256sum', 'locked') or die \"$!\"");
    assert!(!run.contains("  locked"), "{run}");
    perl("open(F, '>', 'locked'); print F 'changed'; close F");
    perl("open(F, '>', '.claude/settings.json'); print F '{}'; close F");
    assert_eq!(fs::read_to_string(env.project().join("locked")).unwrap(), "as it was\n");
    assert!(perl("open(F, '>', 'free') and print 'written'").contains("written"));
    env.forebay(["run", "--", "sha256sum locked"]).refused(126, "Bash(sha256sum:*)", "");
    let told = env.forebay(["doctor"]).ok().text();
    assert!(told.contains("3 deny, 0 ask, 0 allow, 2 denied paths blocked"), "{told}");
    let code = ["run", "--isolation", "off", "--language", "perl", "--", "print 1"];
    assert!(env.forebay(code).ok().text().contains("rules: isolation is off"));
}

#[test]
fn what_must_be_asked_about_is_refused_where_nobody_can_be_asked() {
    let env = TestEnv::new().with_rules(json!({ "ask": ["Bash(touch:*)"] }));
    env.forebay(["run", "--", "touch x"]).refused(126, "needs the user's approval", "allow rule");
    let told = env.mcp().fault("ctx_execute", json!({ "code": "touch x" }));
    assert!(told.contains("needs the user's approval"), "{told}");
    assert!(!env.project().join("x").exists());
}

/// Calls a tool that makes the server ask; answers with `action`.
fn answer_when_asked(env: &TestEnv, action: &str) -> Value {
    let mut client = McpClient::start(env.command(["mcp"]));
    client.initialize_able_to(json!({ "elicitation": {} }));
    let id = client.begin("ctx_execute", json!({ "code": "touch x" }));
    let question = client.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("touch x") && message.contains("Bash(touch:*)"), "{message}");
    let mut result = json!({ "action": action });
    if action == "accept" {
        result["content"] = json!({});
    }
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
    client.send_line(&answer.to_string());
    client.response(id)["result"].clone()
}

#[test]
fn a_client_that_can_be_asked_is_asked() {
    let env = TestEnv::new().with_rules(json!({ "ask": ["Bash(touch:*)"] }));
    for no in ["decline", "cancel"] {
        let refused = answer_when_asked(&env, no);
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(refused.to_string().contains("the user declined"), "{refused}");
        assert!(!env.project().join("x").exists());
    }
    let ran = answer_when_asked(&env, "accept");
    assert_ne!(ran["isError"], true, "{ran}");
    assert!(env.project().join("x").exists());
}

#[test]
fn what_no_rule_mentions_runs_unless_the_settings_say_otherwise() {
    let env = TestEnv::new();
    env.forebay(["run", "--", "echo hi"]).ok();
    env.forebay(["run", "--set", "rules.unmatched=deny", "--", "echo hi"]).refused(
        126,
        "no rule matches it",
        "",
    );
    env.write(".forebay.toml", "[rules]\nunmatched = \"ask\"\n");
    env.forebay(["run", "--", "make"]).refused(126, "needs the user's approval", "");
    env.write(".forebay.toml", "[rules]\nunmatched = \"nonsense\"\n");
    env.forebay(["run", "--", "make"]).refused(2, "expected run, ask or deny", "");
}

#[test]
fn rules_that_change_while_the_server_runs_hold_at_once() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    client.text("ctx_execute", json!({ "code": "touch one" }));
    let env = env.with_rules(json!({ "deny": ["Bash(touch:*)"] }));
    client.fault("ctx_execute", json!({ "code": "touch two" }));
    env.write(".claude/settings.json", "{ broken");
    let told = client.fault("ctx_execute", json!({ "code": "touch three" }));
    assert!(told.contains("settings.json"), "{told}");
    assert!(!env.project().join("two").exists() && !env.project().join("three").exists());
}

const CODEX: &str = "prefix_rule(pattern = ['touch', ['x', 'y']], decision = 'forbidden')\n";
const OPENCODE: &str = r#"{ // the team's
    "permission": {
        "bash": {"*": "allow", "mkdir *": "deny", "sort *": "deny", "sort": "allow"},
        "read": {"*.env": "deny"},
    },
}"#;

#[test]
fn what_another_hosts_files_deny_does_not_run() {
    let env = TestEnv::new()
        .with_file("app/.codex/rules/team.rules", CODEX)
        .with_file("app/opencode.json", OPENCODE)
        .with_file("app/deep/.env", "word\n");
    for line in ["touch x", "env touch x z", "bash -c 'touch x'", "true && touch x"] {
        env.forebay(["run", "--", line]).refused(
            126,
            "project rule Bash(touch x:*) denies",
            "rule",
        );
    }
    env.forebay(["run", "--", "mkdir d"]).refused(126, "project rule Bash(mkdir *) denies it", "");
    env.forebay(["run", "--", "cat deep/.env"]).refused(126, "Read(/**/*.env) denies it", "");
    let told = env.mcp().fault("ctx_execute", json!({ "code": "mkdir d; touch y" }));
    assert!(told.contains("denies it"), "{told}");
    assert!(!env.project().join("x").exists() && !env.project().join("d").exists());
    env.forebay(["run", "--", "touch z"]).ok();
}

/// OpenCode lets its last pattern win, so a deny with an exception is none that always holds.
#[test]
fn a_deny_that_its_host_takes_back_in_part_is_asked_about() {
    let env = TestEnv::new().with_file("home/xdg-config/opencode/opencode.jsonc", OPENCODE);
    env.forebay(["run", "--", "sort x"]).refused(126, "needs the user's approval", "allow rule");
    let listed = env.forebay(["rules"]).ok().text();
    assert!(listed.contains("ask   Bash(sort *)"), "{listed}");
    assert!(listed.contains("`bash sort: allow` overrides part of it"), "{listed}");
}

#[test]
fn other_hosts_rules_are_listed_with_their_files() {
    let env = TestEnv::new()
        .with_file("home/.codex/rules/default.rules", "prefix_rule(['ls'])\nx = 1\n")
        .with_file("home/.cursor/cli-config.json", r#"{"permissions": {"deny": ["Shell(rm)"]}}"#)
        .with_file("app/opencode.json", r#"{"permission": {"edit": "ask"}}"#)
        .with_file("home/.qwen/settings.json", r#"{"permissions": {"ask": ["Bash(npm)"]}}"#)
        .with_file(
            "home/.gemini/policies/a.toml",
            "[[rule]]\ntoolName = 'web_fetch'\ndecision = 'deny'\npriority = 1\n",
        );
    insta::assert_snapshot!(env.redact(&env.forebay(["rules"]).ok().text()), @"
    ask   Edit                                     project  [ROOT]/app/opencode.json
    allow Bash(ls:*)                               user     [ROOT]/home/.codex/rules/default.rules
    deny  WebFetch                                 user     [ROOT]/home/.gemini/policies/a.toml
    deny  Bash(rm:*)                               user     [ROOT]/home/.cursor/cli-config.json
    ask   Bash(npm:*)                              user     [ROOT]/home/.qwen/settings.json
    warning: [ROOT]/home/.codex/rules/default.rules: `x = 1` is skipped: only calls with literal arguments are supported

    files, strongest first; a deny in any of them wins:
      project  [ROOT]/app/opencode.json
      user     [ROOT]/home/.codex/rules
      user     [ROOT]/home/.codex/rules/default.rules
      user     [ROOT]/home/.gemini/policies
      user     [ROOT]/home/.gemini/policies/a.toml
      user     [ROOT]/home/.cursor/cli-config.json
      user     [ROOT]/home/.qwen/settings.json
      17 more do not exist (--json lists them)
    ");
    let listed = env.forebay(["rules", "--json"]).ok().json();
    let absent = listed["absent_files"].as_array().unwrap();
    assert!(absent.iter().any(|file| file.as_str().unwrap().ends_with("app/.codex/rules")));
}

#[test]
fn a_rule_file_that_appears_while_the_server_runs_holds_at_once() {
    let env = TestEnv::new().with_file("app/.codex/rules/old.rules", "");
    let mut client = env.mcp();
    client.text("ctx_execute", json!({ "code": "touch x; rm x" }));
    let env = env.with_file("app/.codex/rules/new.rules", CODEX);
    client.fault("ctx_execute", json!({ "code": "touch x" }));
    let env = env.with_file("app/.codex/rules/new.rules", "prefix_rule(");
    let told = client.fault("ctx_execute", json!({ "code": "true" }));
    assert!(told.contains("new.rules cannot be read"), "{told}");
    fs::remove_file(env.project().join(".codex/rules/new.rules")).unwrap();
    client.text("ctx_execute", json!({ "code": "touch x" }));
    let env = env.with_file("home/.codex/rules/mine.rules", CODEX);
    client.fault("ctx_execute", json!({ "code": "touch x" }));
    assert!(env.project().join("x").exists());
}

/// A run must not be able to rewrite the rules it is held to.
#[test]
#[cfg(target_os = "linux")]
fn other_hosts_rule_files_are_out_of_reach_of_programs() {
    let env = TestEnv::new()
        .with_file("app/.codex/rules/team.rules", CODEX)
        .with_file("app/opencode.json", OPENCODE);
    for code in [
        "open(F, '>', '.codex/rules/team.rules'); close F; unlink '.codex/rules/team.rules'",
        "open(F, '>', 'opencode.json'); print F '{}'; close F",
    ] {
        env.forebay(["run", "--language", "perl", "--", code]);
    }
    let kept = |name: &str| fs::read_to_string(env.project().join(name)).unwrap();
    assert_eq!(kept(".codex/rules/team.rules"), CODEX);
    assert_eq!(kept("opencode.json"), OPENCODE);
}
