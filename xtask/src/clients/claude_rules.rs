//! Claude Code's permission rules hold for commands that run through Forebay.
//!
//! `hooks.whole_output` rewrites commands. A table of rules and commands is run twice, with the setting on and off; the
//! model must get the same results: nothing that a rule denies or asks about runs, and nothing that is allowed is refused.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::CheckResult;
use super::agent_env::AgentEnv;
use super::claude_mod::{SeenResult, run};
use super::fixture::Fixture;
use super::hosts::{CLAUDE_CODE_WITH_RULES, Host};
use super::model::ScriptedModel;

const ALLOW: &[&str] = &[
    "seq:*",
    "ls:*",
    "git log:*",
    "git status",
    "npm run test:*",
    "make test",
    "python3 -c:*",
    "cat *",
    "* --version",
    "sleep:*",
    "sh ok.sh",
    "./ok.sh:*",
    "env:*",
    "ll:*",
    "printf:*",
    "head:*",
    "sort:*",
    "wc:*",
    "find:*",
    "tac:*",
];
const DENY: &[&str] = &[
    "seq 7:*",
    "git push:*",
    "git log --all:*",
    "rm:*",
    "curl:*",
    "npm publish:*",
    "sudo:*",
    // These name what a rewritten command starts with.
    "forebay:*",
    "case:*",
    "command:*",
    "*secret*",
    "python3 -c 'import os':*",
    "sh -c:*",
    "tee:*",
    "find * -delete",
];
const ASK: &[&str] = &[
    "seq 9:*",
    "git commit:*",
    "ls -la:*",
    "make deploy",
    "sort -r:*",
    "sleep 2:*",
    "head -c:*",
    "cat prod.txt",
];

/// A hook of the user's, which must see the command that the model wrote.
const HOOK: &str =
    r#"grep -q '"command":"tac ' && { echo 'denied by a hook' >&2; exit 2; }; exit 0"#;

/// Commands, and whether one of the rules or the hook stops each.
const COMMANDS: &[(&str, bool)] = &[
    ("seq 1 3", false),
    ("seq 7 9", true),
    ("seq 9 12", true),
    ("seq 1 2 && seq 3 4", false),
    ("seq 1 2 && seq 7 8", true),
    ("seq 1 2; rm a.txt", true),
    ("seq 1 2 || curl x", true),
    ("seq 3 | sort", false),
    ("seq 3 | sort -r", true),
    ("seq 3 | tee copy.txt", true),
    ("seq 1 3 # rm a.txt", false),
    ("seq $(rm a.txt) 3", true),
    ("seq `rm a.txt` 3", true),
    ("'seq' 1 3", false),
    ("X=1 seq 1 3", true),
    ("ls", false),
    ("ls -la", true),
    ("ls | head -n 1", false),
    ("ls | head -c 3", true),
    ("ls gone.txt", false),
    ("git log", false),
    ("git log --all", true),
    ("git status", false),
    ("git push", true),
    ("git commit -m x", true),
    ("make test", false),
    ("make deploy", true),
    ("make other", true),
    ("npm run test -- unit", false),
    ("npm publish", true),
    ("npm install x", true),
    ("python3 -c 'print(1)'", false),
    ("python3 -c 'import os'", true),
    ("python3 --version", false),
    ("python3 -m venv x", true),
    ("cat a.txt", false),
    ("cat prod.txt", true),
    ("cat a.txt secret.txt", true),
    ("cat <<EOF\nx\nEOF", false),
    ("sleep 1", false),
    ("sleep 2", true),
    ("sudo seq 1 3", true),
    ("env seq 1 3", false),
    ("env rm a.txt", true),
    ("sh ok.sh", false),
    ("./ok.sh now", false),
    ("sh -c 'seq 1 3'", true),
    ("seq 1 3 > out.txt", true),
    ("wc -l a.txt", false),
    ("find . -name a.txt", false),
    ("find . -name a.txt -delete", true),
    ("ll", false),
    ("tac a.txt", true),
    ("printf x", false),
    ("forebay --version", true),
    ("vim a.txt", true),
    ("cd .. && seq 1 3", true),
    ("seq 1 3 &", true),
];

/// Compares what the model gets with and without rewritten commands.
pub(super) fn check(fixture: &Fixture, _: &'static Host) -> Result<Vec<CheckResult>> {
    ensure!(ALLOW.len() + DENY.len() + ASK.len() >= 40, "the table has fewer than 40 rules");
    let env = |name: &str| fixture.env(&CLAUDE_CODE_WITH_RULES, name);
    let (plain, wrapping) = (env("plain")?, env("wrapped")?);
    let expected = results(&plain, false)?;
    let found = results(&wrapping, true)?;
    let runs =
        |env: &AgentEnv<'_>| Ok::<_, anyhow::Error>(env.history()?.matches("] run exit").count());
    let (plain_runs, wrapped_runs) = (runs(&plain)?, runs(&wrapping)?);
    let mut checks = vec![CheckResult {
        name: "commands run through Forebay if the setting says so",
        passed: plain_runs == 0 && wrapped_runs >= 10,
        detail: format!("{wrapped_runs} of {} commands, {plain_runs} without", COMMANDS.len()),
    }];
    checks.push(verdicts(&expected));
    checks.push(differences(&expected, &found));
    Ok(checks)
}

/// Whether Claude Code alone does what the table says; otherwise the comparison proves nothing.
fn verdicts(results: &[SeenResult]) -> CheckResult {
    let wrong = COMMANDS
        .iter()
        .zip(results)
        .filter(|((_, is_stopped), result)| is_stopped != &is_refusal(result));
    let wrong: Vec<String> =
        wrong.map(|((command, _), result)| format!("{command}: {}", result.text)).collect();
    CheckResult {
        name: "Claude Code judges the table's commands as it says",
        passed: wrong.is_empty() && results.len() == COMMANDS.len(),
        detail: format!("{} of {} {}", results.len(), COMMANDS.len(), wrong.join("; ")),
    }
}

fn differences(expected: &[SeenResult], found: &[SeenResult]) -> CheckResult {
    let pairs = COMMANDS.iter().zip(expected).zip(found);
    let differing = pairs.filter(|((_, expected), found)| expected != found);
    let differing: Vec<String> = differing
        .map(|(((command, _), expected), found)| format!("{command}: {expected:?} / {found:?}"))
        .collect();
    CheckResult {
        name: "no rule is dodged or tightened",
        passed: differing.is_empty() && expected.len() == found.len(),
        detail: format!("{} differ {}", differing.len(), differing.join("; ")),
    }
}

/// Whether Claude Code, or a rule that Forebay's hook enforces, refused a call.
fn is_refusal(result: &SeenResult) -> bool {
    const PHRASES: &[&str] =
        &["denied", "approval", "haven't granted", "was blocked", "asks about it", "Approve only"];
    result.is_error && PHRASES.iter().any(|phrase| result.text.contains(phrase))
}

/// Runs all commands under the rules; returns what the model gets.
fn results(env: &AgentEnv<'_>, wraps: bool) -> Result<Vec<SeenResult>> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    write_project(env)?;
    write_rules(env)?;
    env.write_forebay_settings(&format!("hooks.whole_output = {wraps}\n"))?;
    let step = |(command, _): &(&str, bool)| json!([["Bash", { "command": command }]]);
    let steps: Value = COMMANDS.iter().map(step).collect();
    let mut results = run(env, &model, &steps)?;
    let root = env.root().to_string_lossy();
    for result in &mut results {
        result.text = result.text.replace(&*root, "ROOT");
    }
    Ok(results)
}

fn write_project(env: &AgentEnv<'_>) -> Result<()> {
    let project = env.project();
    for (name, text) in [
        ("a.txt", "one\ntwo\n"),
        ("prod.txt", "key\n"),
        ("secret.txt", "key\n"),
        ("ok.sh", "#!/bin/sh\necho ok\n"),
        ("package.json", "{\"scripts\": {\"test\": \"echo tested\"}}"),
        ("Makefile", "test:\n\t@echo made\ndeploy:\n\t@echo deployed\n"),
    ] {
        fs::write(project.join(name), text)?;
    }
    super::claude_mod::make_executable(&project.join("ok.sh"))?;
    Ok(fs::write(env.home().join(".bashrc"), "alias ll='ls'\n")?)
}

/// Adds the rules and the hook to the user's settings; those of an untrusted project may not allow anything.
fn write_rules(env: &AgentEnv<'_>) -> Result<()> {
    let rules = |list: &[&str]| list.iter().map(|rule| format!("Bash({rule})")).collect::<Vec<_>>();
    let path = env.home().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    settings["permissions"] =
        json!({ "allow": rules(ALLOW), "deny": rules(DENY), "ask": rules(ASK) });
    let hook = json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": HOOK }] });
    let hooks = settings["hooks"]["PreToolUse"].as_array_mut();
    hooks.context("forebay init registers a hook before tools")?.push(hook);
    Ok(fs::write(&path, settings.to_string())?)
}
