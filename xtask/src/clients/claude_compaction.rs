//! Claude Code with `hooks.compact = "forebay"`: what a compacted conversation has, and when the model summarizes it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::agent_env::AgentEnv;
use super::claude_mod::{self, SeenResult};
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{self, Exchange, ScriptedModel, script};
use super::{CheckResult, conversation, excerpt};

pub(super) const SETTINGS: &str = "hooks.compact = \"forebay\"\n";
/// Prompts of the conversation, steps of a prompt, and parallel calls of a step: some return before the answer is complete.
const SIZE: [usize; 3] = [3, 4, 5];
/// The results of that conversation have at least this many bytes, which are about 100,000 tokens.
const MIN_BYTES: usize = 400_000;
/// A mod that waits for a program that hangs may take longer than one without.
const HANG_LIMIT: Duration = Duration::from_secs(20);

/// Why Claude Code compacts the conversation itself.
struct Exception {
    name: &'static str,
    prepare: fn(&mut AgentEnv<'_>) -> Result<()>,
    prompt: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception { name: "the model summarizes: setting", prepare: leave_to_host, prompt: "/compact" },
    Exception { name: "... instructions", prepare: |_| Ok(()), prompt: "/compact keep herons" },
    Exception {
        name: "... missing program",
        prepare: claude_mod::lose_program,
        prompt: "/compact",
    },
    Exception { name: "... hanging program", prepare: claude_mod::hang, prompt: "/compact" },
    Exception { name: "... managed settings", prepare: set_managed, prompt: "/compact" },
];

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let mut results = check_long_conversation(&fixture.env(host, "compaction")?)?;
    for exception in EXCEPTIONS {
        results.push(check_exception(&mut fixture.env(host, exception.name)?, exception)?);
    }
    let mut managed = fixture.env(host, "managed")?;
    set_managed(&mut managed)?;
    results.push(check_doctor(&managed)?);
    Ok(results)
}

fn check_long_conversation(env: &AgentEnv<'_>) -> Result<Vec<CheckResult>> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.write_forebay_settings(SETTINGS)?;
    for prompt in 0..SIZE[0] {
        env.prompt(&model, &order(prompt, SIZE[1], SIZE[2]), prompt > 0)?;
    }
    let before = Conversation::last_of(&model.drain());
    env.prompt(&model, "/compact", true)?;
    let asked = model.drain().len();
    let resumed = conversation::resume(env, &model, "what do we know", "compacted")?;
    let after = Conversation::last_of(&resumed);
    env.prompt(&model, "/compact", true)?;
    let asked_again = model.drain().len();
    let (readable, facts) = after.readable(env)?;
    let calls = SIZE.iter().product::<usize>();
    let sizes = [&before, &after].map(|conversation| conversation.results_bytes() / 4);
    let took = compaction_millis(env)?;
    let check = |name, passed, detail| CheckResult { name, passed, detail };
    Ok(vec![
        check(
            "a long conversation is compacted",
            before.results_bytes() >= MIN_BYTES && sizes[1] * 4 < sizes[0],
            format!("results of {} -> {} tokens, {took} ms", sizes[0], sizes[1]),
        ),
        check("... without the model", asked == 0, format!("{asked} requests")),
        check(
            "... and keeps every text",
            // The answer to the last prompt is in no request before.
            before.texts.len() == 2 * SIZE[0] - 1 && after.texts.starts_with(&before.texts),
            format!("{} texts, {} after", before.texts.len(), after.texts.len()),
        ),
        check(
            "... and every result by its reference",
            readable == calls && facts == calls,
            format!("{readable} results, {facts} facts of {calls}"),
        ),
        check(
            "... and gets the guide",
            resumed.last().is_some_and(|last| last.request.raw.contains(env.host.resumed_with)),
            String::new(),
        ),
        check(
            "compacted again, the model summarizes",
            asked_again > 0,
            format!("{asked_again} requests"),
        ),
    ])
}

fn check_exception(env: &mut AgentEnv<'_>, exception: &Exception) -> Result<CheckResult> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.write_forebay_settings(SETTINGS)?;
    env.prompt(&model, &order(0, 2, 4), false)?;
    model.drain();
    (exception.prepare)(env)?;
    let started = Instant::now();
    env.prompt(&model, exception.prompt, true)?;
    let took = started.elapsed();
    let asked = model.drain().len();
    let passed = asked > 0 && took < HANG_LIMIT;
    let detail = format!("{asked} requests, {} ms", took.as_millis());
    Ok(CheckResult { name: exception.name, passed, detail })
}

/// Checks that `doctor` says why Claude Code compacts although the setting leaves it to Forebay.
fn check_doctor(env: &AgentEnv<'_>) -> Result<CheckResult> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.write_forebay_settings(SETTINGS)?;
    env.prompt(&model, &order(0, 1, 1), false)?;
    let doctor = env.doctor()?;
    let finding = doctor.lines().find(|line| line.contains(" mod ")).unwrap_or_default();
    let reason = "ran it in the last session; it compacts itself, because /etc/claude-code/managed-settings.json exists";
    Ok(CheckResult {
        name: "... which doctor explains",
        passed: finding.contains(reason),
        detail: excerpt(finding),
    })
}

fn leave_to_host(env: &mut AgentEnv<'_>) -> Result<()> {
    env.write_forebay_settings("hooks.compact = \"host\"\n")
}

fn set_managed(env: &mut AgentEnv<'_>) -> Result<()> {
    env.set_managed_settings(&json!({ "cleanupPeriodDays": 30 }).to_string())
}

/// A prompt with such steps, and the model's last words.
pub(super) fn order(prompt: usize, steps: usize, calls: usize) -> String {
    order_of(prompt, &self::steps(prompt, steps, calls))
}

pub(super) fn order_of(prompt: usize, steps: &[Vec<Value>]) -> String {
    format!("{} then answer: part {prompt} is read", script::prompt(&json!(steps)))
}

/// Steps of parallel calls whose texts hooks do not replace, each with a fact in its middle.
pub(super) fn steps(prompt: usize, steps: usize, calls: usize) -> Vec<Vec<Value>> {
    let call = |step: usize, call: usize| {
        let name = format!("{prompt}.{step}.{call}");
        let command = format!(
            "seq -f 'part {name} line %.0f of the log' 1 120; echo 'heron {name} counts {}'; \
             seq -f 'part {name} line %.0f of the log' 121 235",
            fact(&name)
        );
        json!(["Bash", { "command": command }])
    };
    (0..steps).map(|step| (0..calls).map(|one| call(step, one)).collect()).collect()
}

/// A number that only the output of this call has.
fn fact(name: &str) -> u32 {
    name.bytes().fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)))
}

/// What the model got.
struct Conversation {
    /// What the user and the model wrote, in order.
    texts: Vec<String>,
    results: Vec<SeenResult>,
}

impl Conversation {
    fn last_of(exchanges: &[Exchange]) -> Self {
        let raw = exchanges.last().map(|exchange| exchange.request.raw.as_str());
        let body: Value = serde_json::from_str(raw.unwrap_or_default()).unwrap_or_default();
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let blocks = messages.iter().flat_map(|message| match &message["content"] {
            Value::Array(blocks) => blocks.clone(),
            text => vec![json!({ "type": "text", "text": text })],
        });
        let texts = blocks.filter(|block| block["type"] == "text").map(|block| {
            let text = model::text_content(&block);
            text.trim().to_owned()
        });
        let is_said = |text: &String| text.starts_with("SCRIPT") || text.starts_with("then answer");
        Self {
            texts: texts.filter(is_said).collect(),
            results: claude_mod::seen_results(raw.unwrap_or_default()),
        }
    }

    fn results_bytes(&self) -> usize {
        self.results.iter().map(|result| result.text.len()).sum()
    }

    /// How many results are digests whose reference gives the whole text, and how many facts these texts have.
    fn readable(&self, env: &AgentEnv<'_>) -> Result<(usize, usize)> {
        let (mut readable, mut facts) = (0, 0);
        for result in &self.results {
            let reference = result.text.strip_prefix("[ctx:").and_then(|text| text.get(..10));
            let Some(reference) = reference else { continue };
            let text = env.entry(reference)?;
            let heron = text.lines().find_map(|line| line.strip_prefix("heron "));
            let (name, number) =
                heron.and_then(|heron| heron.split_once(" counts ")).unwrap_or_default();
            readable += usize::from(text.lines().count() == 236);
            facts += usize::from(number == fact(name).to_string());
        }
        Ok((readable, facts))
    }
}

/// How long the first compaction of the only session took, by the agent's own record.
fn compaction_millis(env: &AgentEnv<'_>) -> Result<u64> {
    let projects = env.home().join(".claude/projects");
    let find =
        |folder: &Path| std::fs::read_dir(folder).ok()?.flatten().map(|one| one.path()).next();
    let folder = find(&projects).context("the agent has no transcripts")?;
    let files = std::fs::read_dir(folder)?.flatten().map(|one| one.path());
    let text: String = files
        .filter(|path| path.is_file())
        .map(|path| std::fs::read_to_string(path).unwrap_or_default())
        .collect();
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let took = rows.into_iter().find_map(|row| row["compactMetadata"]["durationMs"].as_u64());
    took.with_context(|| format!("no compaction in {}", excerpt(&text)))
}
