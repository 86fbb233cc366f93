//! Claude Code with Forebay's mod: what reaches the model, and that a broken or forbidden mod does no harm.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::agent_env::AgentEnv;
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{self, Exchange, ScriptedModel, script};
use super::{CheckResult, excerpt};
use crate::{process, workspace};

/// A failing command with 60 KB of output, and its error in the first 30,000 characters that the agent passes on.
const FAILS: &str =
    "seq -f 'step %.0f of the build' 1 200; echo 'error: no rule to make x'; seq 1 9000; exit 3";
/// A failing command whose error is at the end of 20,000 lines, where the agent does not pass it on.
const FAILS_LATE: &str = "seq -f 'test %.0f ... ok' 1 20000 && ls the-missing-file";
/// What a program in place of Forebay does that hangs.
const HANGS: &str = "#!/bin/sh\nsleep 60\n";
/// The longest that the mod may delay a call.
const MAX_DELAY: Duration = Duration::from_secs(3);

/// Why the mod does not work.
struct Obstacle {
    name: &'static str,
    prepare: fn(&mut AgentEnv<'_>) -> Result<()>,
    effect: Effect,
}

/// What an obstacle stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Only the mod fails.
    Fails,
    /// This setting forbids the mod; hooks run.
    NoMod(&'static str),
    /// This setting forbids hooks, too: nothing is stored.
    NoHooks(&'static str),
}

const OBSTACLES: &[Obstacle] = &[
    Obstacle { name: "a mod that throws", prepare: throw, effect: Effect::Fails },
    Obstacle { name: "a program that hangs", prepare: hang, effect: Effect::Fails },
    Obstacle { name: "a program that is missing", prepare: lose_program, effect: Effect::Fails },
    Obstacle {
        name: "hooks disabled by the user",
        prepare: disable_hooks,
        effect: Effect::NoHooks("disableAllHooks"),
    },
    Obstacle {
        name: "hooks disabled by managed settings",
        prepare: |env| env.set_managed_settings(r#"{"disableAllHooks": true}"#),
        effect: Effect::NoHooks("disableAllHooks"),
    },
    Obstacle {
        name: "only managed hooks allowed",
        prepare: |env| env.set_managed_settings(r#"{"allowManagedHooksOnly": true}"#),
        effect: Effect::NoHooks("allowManagedHooksOnly"),
    },
    Obstacle {
        name: "only managed mods allowed",
        prepare: forbid_mods,
        effect: Effect::NoMod("allowManagedModsOnly"),
    },
];

/// Checks that results pass unchanged where the mod cannot work.
pub(super) fn check_obstacles(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let (mut results, mut times) = (Vec::new(), Vec::new());
    for obstacle in OBSTACLES {
        let mut env = fixture.env(host, obstacle.name)?;
        let (result, took) = check_obstacle(&mut env, obstacle)?;
        results.push(result);
        results.extend(check_switch(&env, obstacle.effect)?);
        times.push(took);
    }
    results.push(check_delay(&times));
    Ok(results)
}

/// Checks what the model gets; returns also how long the call took.
fn check_obstacle(env: &mut AgentEnv<'_>, obstacle: &Obstacle) -> Result<(CheckResult, Duration)> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    (obstacle.prepare)(env)?;
    env.prompt(&model, &script::prompt(&json!([[["Bash", { "command": FAILS }]]])), false)?;
    let exchanges = model.drain();
    env.save_requests("calls", &exchanges)?;
    let results = last_results(&exchanges, |_| true);
    let passed = results.first().is_some_and(|result| {
        result.is_error && result.text.starts_with("Exit code 3\nstep 1 of the build")
    });
    let detail = results.first().map(|result| excerpt(&result.text)).unwrap_or_default();
    let has_result = |exchange: &&Exchange| !exchange.request.results.is_empty();
    let replied = |exchange: Option<&Exchange>| exchange.map(|exchange| exchange.replied);
    let [called, returned] =
        [replied(exchanges.first()), replied(exchanges.iter().find(has_result))];
    let took = called.zip(returned).map(|(called, returned)| returned - called);
    let took = took.context("the model did not get the result of its call")?;
    Ok((CheckResult { name: obstacle.name, passed, detail }, took))
}

/// Checks that a setting is respected, and that `doctor` names it.
fn check_switch(env: &AgentEnv<'_>, effect: Effect) -> Result<Option<CheckResult>> {
    let (switch, stores) = match effect {
        Effect::Fails => return Ok(None),
        Effect::NoMod(switch) => (switch, true),
        Effect::NoHooks(switch) => (switch, false),
    };
    let doctor = env.doctor()?;
    let finding = doctor.lines().find(|line| line.contains(" mod ")).unwrap_or_default();
    let stored = env.history()?.contains("[ctx:");
    Ok(Some(CheckResult {
        name: "... is respected, and doctor names the setting",
        passed: finding.contains(&format!("does not run it: `{switch}` in ")) && stored == stores,
        detail: excerpt(finding),
    }))
}

/// Compares how long a call took at most, which is with the program that hangs, and at least.
fn check_delay(times: &[Duration]) -> CheckResult {
    let bounds = times.iter().min().zip(times.iter().max());
    let delay = bounds.map_or(Duration::MAX, |(least, most)| most.saturating_sub(*least));
    let detail = format!("{} ms", delay.as_millis());
    CheckResult { name: "no call is delayed by more than 3 s", passed: delay <= MAX_DELAY, detail }
}

/// One conversation with every kind of result, with the mod as `forebay init` or the plugin installs it.
pub(super) fn check_results(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "mod")?;
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.write_forebay_settings("hooks.whole_output = true\n")?;
    let order = script::prompt(&json!([[["Bash", { "command": FAILS }]]]));
    let agent =
        json!({ "description": "scripted", "prompt": order, "subagent_type": "general-purpose" });
    let steps = json!([
        [["Bash", { "command": FAILS }]],
        [["Bash", { "command": format!("true one; {FAILS}") }], ["Bash", { "command": format!("true two; {FAILS}") }]],
        [["mcp__probe__long", {}]],
        [["mcp__probe__image", {}]],
        [["Agent", agent]],
        [["Bash", { "command": FAILS_LATE }]],
    ]);
    env.prompt(&model, &script::prompt(&steps), false)?;
    let exchanges = model.drain();
    env.save_requests("mod", &exchanges)?;
    let results = last_results(&exchanges, |request| request.prompt.contains("probe"));
    let of_subagent = last_results(&exchanges, |request| request.prompt.contains(&order));
    let result = |index: usize| results.get(index).cloned().unwrap_or_default();
    let history = env.history()?;
    let stored = history.matches("; seq 1 9000; exit 3").count();
    let doctor = env.doctor()?;
    let finding = doctor.lines().find(|line| line.contains(" mod ")).unwrap_or_default();
    Ok(vec![
        digest("a failing command arrives as a digest", &result(0)),
        digest("of parallel failing commands, the first", &result(1)),
        digest("of parallel failing commands, the second", &result(2)),
        CheckResult {
            name: "an MCP result is replaced once",
            passed: result(3).text.matches("[ctx:").count() >= 1 && !result(3).is_error,
            detail: excerpt(&result(3).text),
        },
        CheckResult {
            name: "a result with an image is unchanged",
            passed: result(4).text.contains("probe line 800:"),
            detail: excerpt(&result(4).text),
        },
        digest("in a subagent, too", &of_subagent.first().cloned().unwrap_or_default()),
        CheckResult {
            name: "the error at the end of a long output arrives",
            passed: result(6).is_error
                && result(6).text.starts_with("Exit code 2\n[ctx:")
                && result(6).text.contains("the-missing-file"),
            detail: excerpt(&result(6).text),
        },
        CheckResult {
            name: "each failing command is stored once",
            passed: stored == 4,
            detail: format!("{stored} of 4"),
        },
        CheckResult {
            name: "doctor says that the mod ran",
            passed: finding.contains("ran it in the last session"),
            detail: excerpt(finding),
        },
    ])
}

/// `claude plugin validate` and `claude plugin test` on the plugin of this repository.
pub(super) fn check_plugin(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "plugin")?;
    let plugin = workspace::root().join("plugins/claude-code");
    let passes = |name, words: &[&str]| {
        let mut command = env.agent();
        let passed = process::succeeds(command.args(words).arg(&plugin));
        CheckResult { name, passed, detail: words.join(" ") }
    };
    Ok(vec![
        passes("the plugin is valid", &["plugin", "validate", "--strict"]),
        passes("the tests of its mod pass", &["plugin", "test"]),
    ])
}

fn digest(name: &'static str, result: &SeenResult) -> CheckResult {
    let text = &result.text;
    let is_digest = text.starts_with("[ctx:") && text.len() < model::LONG_BYTES / 4;
    let has_facts = text.contains("] exit 3 ·") && text.contains("error: no rule to make x");
    CheckResult { name, passed: is_digest && has_facts && result.is_error, detail: excerpt(text) }
}

/// A tool result as the model got it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SeenResult {
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// Lets the agent make calls; returns their results.
pub(super) fn run(
    env: &AgentEnv<'_>,
    model: &ScriptedModel,
    steps: &Value,
) -> Result<Vec<SeenResult>> {
    env.prompt(model, &script::prompt(steps), false)?;
    let exchanges = model.drain();
    env.save_requests("calls", &exchanges)?;
    Ok(last_results(&exchanges, |_| true))
}

/// The tool results of the request that has the most, of those whose conversation fits.
fn last_results(
    exchanges: &[Exchange],
    is_such: impl Fn(&model::ModelRequest) -> bool,
) -> Vec<SeenResult> {
    let such = exchanges.iter().filter(|exchange| is_such(&exchange.request));
    such.map(|exchange| seen_results(&exchange.request.raw))
        .max_by_key(Vec::len)
        .unwrap_or_default()
}

pub(super) fn seen_results(raw: &str) -> Vec<SeenResult> {
    let body: Value = serde_json::from_str(raw).unwrap_or_default();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let blocks =
        messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let seen = |block: &Value| SeenResult {
        text: model::text_content(&block["content"]),
        is_error: block["is_error"] == true,
    };
    results.map(seen).collect()
}

/// Changes the mod that `forebay init` wrote.
fn edit_mod(env: &AgentEnv<'_>, from: &str, to: &str) -> Result<()> {
    let path = env.home().join(".claude/skills/forebay/hooks/forebay.ts");
    let text = fs::read_to_string(&path)?;
    text.find(from).with_context(|| format!("the mod has no `{from}`"))?;
    Ok(fs::write(&path, text.replacen(from, to, 1))?)
}

fn throw(env: &mut AgentEnv<'_>) -> Result<()> {
    let start = "const tool = \"tool\" in e.origin";
    edit_mod(env, start, &format!("if (e.door) throw new Error(\"broken\")\n    {start}"))
}

pub(super) fn hang(env: &mut AgentEnv<'_>) -> Result<()> {
    let program = env.project().join("hangs");
    fs::write(&program, HANGS)?;
    make_executable(&program)?;
    set_program(env, &program.to_string_lossy())
}

pub(super) fn lose_program(env: &mut AgentEnv<'_>) -> Result<()> {
    set_program(env, "/gone/forebay")
}

/// Sets the program that the mod starts.
fn set_program(env: &AgentEnv<'_>, program: &str) -> Result<()> {
    edit_mod(env, "const PROGRAM = ", &format!("const PROGRAM = \"{program}\" ?? "))
}

fn disable_hooks(env: &mut AgentEnv<'_>) -> Result<()> {
    let path = env.home().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    settings["disableAllHooks"] = json!(true);
    Ok(fs::write(&path, settings.to_string())?)
}

fn forbid_mods(env: &mut AgentEnv<'_>) -> Result<()> {
    let options = json!({ "options": { "allowManagedModsOnly": true } });
    let settings = json!({ "pluginConfigs": { "cc-plugin-sec-default@builtin": options } });
    env.set_managed_settings(&settings.to_string())
}

pub(super) fn make_executable(path: &std::path::Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}
