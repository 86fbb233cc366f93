//! Claude Code with 40 calls: what the ledger says of each agrees with what the model was sent, to the token.
//!
//! From the bodies of the requests are recomputed: which results were digests, which were read again, what each call is credited
//! with, what the requests cost, and what is gained and lost over all requests that have a result. Of Forebay only the stored
//! results and the size of the tool list are taken. The calls come one by one, and then several in an answer: the agent runs
//! the first of these while the model still writes the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::CheckResult;
use super::agent_env::AgentEnv;
use super::claude_usage::{sent, stored};
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{Exchange, ScriptedModel, messages, script, text_content};

const CALLS: usize = 40;
const MODEL: &str = "claude-sonnet-4-5-20250929";
/// Dollars per million tokens of that model.
const INPUT: f64 = 3.0;
const CACHE_READ: f64 = 0.3;
const CACHE_WRITE: f64 = 3.75;
const OUTPUT: f64 = 15.0;
/// The most that this agent shows of a result, in characters.
const MAX_SHOWN: usize = 30_000;
/// What it shows of a result that it saved to a file, and where such files are.
const MAX_PREVIEW: usize = 2_048;
const SAVED_RESULTS: &str = "tool-results";
/// What it writes above the output of a command that failed.
const FAILURE_FRAME: &str = "Exit code ";
/// What it writes below the last result of a turn.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");
/// The tool that reads a stored result again.
const REREAD: &str = "mcp__forebay__ctx_get";
/// Sums of money are compared in dollars; they are rounded when they are written.
const ROUNDING: f64 = 1e-9;

/// How many calls an answer of the model has, and what is checked with it.
const ANSWERS: [(usize, &str, &str); 2] =
    [(1, "ledger", "40 calls"), (3, "ledger of parallel calls", "40 parallel calls")];

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let mut checks = Vec::new();
    for (calls, folder, name) in ANSWERS {
        checks.extend(check_answers(fixture, host, calls, folder, name)?);
    }
    Ok(checks)
}

fn check_answers(
    fixture: &Fixture,
    host: &'static Host,
    calls: usize,
    folder: &str,
    name: &'static str,
) -> Result<Vec<CheckResult>> {
    let mut env = fixture.env(host, folder)?;
    env.set_variable("ANTHROPIC_MODEL", MODEL);
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.prompt(&model, &script::prompt(&steps(calls)), false)?;
    let exchanges = model.drain();
    env.save_requests("ledger", &exchanges)?;
    let stats: Value = serde_json::from_str(&env.stats(&["--json"])?)?;
    let project = &stats["project"];
    let expected = Expected::compute(&env, &exchanges, tool_list(project)?)?;
    let [in_requests, in_stats] = [sent(&exchanges), stored(&project["requests"])];
    let differences = expected.differences(&Credits::read(&env)?);
    let mut checks = vec![
        CheckResult {
            name,
            passed: in_requests == in_stats && expected.calls.len() == CALLS,
            detail: format!(
                "{in_stats:?} of {in_requests:?} are counted, {} calls",
                expected.calls.len()
            ),
        },
        CheckResult {
            name: "... and what each call is credited with",
            passed: differences.is_empty(),
            detail: differences.join("; "),
        },
    ];
    checks.extend(expected.sums(&project["billed"]));
    Ok(checks)
}

/// The tokens of the tool list. It is counted whenever the server starts, and costs nothing but what prompts have of it.
fn tool_list(project: &Value) -> Result<i64> {
    let list = &project["tools"]["tool list"];
    let number = |name: &str| list[name].as_i64().unwrap_or_default();
    let (starts, tokens) = (number("answers"), number("delivered_tokens"));
    ensure!(
        starts > 0 && tokens % starts == 0,
        "the tool list differs from start to start: {list}"
    );
    Ok(tokens / starts)
}

/// Long results, short ones, failing ones, some that the host cuts, and re-reads of what an earlier answer called for.
fn steps(calls_per_answer: usize) -> Value {
    let bash = |command: String| json!(["Bash", { "command": command }]);
    let call = |number: usize| match number % 5 {
        0 => bash(format!("seq -f 'call {number} line %.0f of the build' 1 600")),
        1 => bash(format!("echo call {number}")),
        2 if number % 10 == 2 => bash(format!("seq -f 'call {number} long %.0f' 1 4000")),
        3 if number % 10 == 3 => {
            json!([REREAD, { "ref": format!("{{ref:{}}}", number - 3), "lines": "100-140" }])
        }
        4 if number % 10 == 4 => bash(format!("seq -f 'call {number} fails %.0f' 1 900; exit 3")),
        _ => bash(format!("printf 'a short answer to call %s\\n' {number}")),
    };
    let calls: Vec<Value> = (0..CALLS).map(call).collect();
    json!(calls.chunks(calls_per_answer).collect::<Vec<_>>())
}

/// What the ledger must say.
#[derive(Debug, Default)]
struct Expected {
    /// The calls whose results the model was sent.
    calls: BTreeSet<String>,
    /// By reference.
    outputs: BTreeMap<String, Output>,
    /// The tokens of each re-read.
    reread: Vec<i64>,
    billed: f64,
    tool_list: Sum,
    gross: Sum,
    rereads: Sum,
    extra_turns: Sum,
}

/// Tokens in all requests that have them, and their price.
#[derive(Debug, Default, Clone, Copy)]
struct Sum {
    tokens: i64,
    dollars: f64,
}

impl Sum {
    fn add(&mut self, tokens: i64, price: f64) {
        self.tokens += tokens;
        self.dollars += tokens as f64 * price / 1e6;
    }

    /// Adds a text of a prompt: as written to the cache by the request that has it first, as read by each later one.
    fn carry(&mut self, tokens: i64, is_new: bool) {
        self.add(tokens, if is_new { CACHE_WRITE } else { CACHE_READ });
    }
}

/// The tokens of a result that was replaced by its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Output {
    /// What the agent would have shown.
    host: i64,
    delivered: i64,
}

impl Expected {
    fn compute(env: &AgentEnv<'_>, exchanges: &[Exchange], tool_list: i64) -> Result<Self> {
        let mut expected = Self::default();
        let saved = saved_results(&env.home().join(".claude/projects"))?;
        let bodies: Vec<Value> = exchanges
            .iter()
            .map(|exchange| serde_json::from_str(&exchange.request.raw))
            .collect::<Result<_, _>>()?;
        let mut previous: Option<Usage> = None;
        for body in &bodies {
            let usage = Usage::of_request(body);
            expected.billed += usage.dollars();
            expected.tool_list.carry(tool_list, previous.is_none());
            let rereads = expected.reread.len();
            for result in results(body) {
                expected.add(env, &result, &saved)?;
            }
            if let Some(previous) = previous.filter(|_| expected.reread.len() > rereads) {
                expected.add_extra_turn(&previous, &usage);
            }
            previous = Some(usage);
        }
        Ok(expected)
    }

    /// Adds a result of a request.
    fn add(&mut self, env: &AgentEnv<'_>, result: &SentResult, saved: &[String]) -> Result<()> {
        let is_new = self.calls.insert(result.id.clone());
        if result.tool == REREAD {
            let tokens = tokens(result.text.len());
            self.rereads.carry(tokens, is_new);
            self.reread.extend(is_new.then_some(tokens));
        } else if let Some((reference, digest)) = result.digest() {
            if is_new {
                let host = shown_tokens(&env.entry(reference)?, saved);
                let output = Output { host, delivered: tokens(digest.len()) };
                self.outputs.insert(reference.to_owned(), output);
            }
            let output = self.outputs.get(reference).context("a digest was sent before")?;
            self.gross.carry(output.host - output.delivered, is_new);
        }
        Ok(())
    }

    /// Adds a request that read results again: its output, and its prompt once more in the next request.
    fn add_extra_turn(&mut self, turn: &Usage, next: &Usage) {
        self.extra_turns.add(turn.output, OUTPUT);
        let cached = turn.prompt().min(next.cache_read);
        self.extra_turns.add(cached, CACHE_READ);
        self.extra_turns.add(turn.prompt() - cached, CACHE_WRITE);
    }

    /// What the ledger says otherwise of single calls.
    fn differences(&self, credits: &Credits) -> Vec<String> {
        let references = self.outputs.keys().chain(credits.outputs.keys());
        let references: BTreeSet<&String> = references.collect();
        let mut differences: Vec<String> = references
            .into_iter()
            .map(|one| (one, credits.outputs.get(one), self.outputs.get(one)))
            .filter(|(_, found, expected)| found != expected)
            .map(|(one, found, expected)| format!("{one}: {found:?}, not {expected:?}"))
            .collect();
        if credits.reread != self.reread {
            differences.push(format!("re-reads {:?}, not {:?}", credits.reread, self.reread));
        }
        differences
    }

    /// Compares the sums that `forebay stats` shows.
    fn sums(&self, billed: &Value) -> Vec<CheckResult> {
        let Self { tool_list, gross, rereads, extra_turns, .. } = self;
        let costs = &billed["costs"];
        let mut net = *gross;
        for cost in [tool_list, rereads, extra_turns] {
            net.tokens -= cost.tokens;
            net.dollars -= cost.dollars;
        }
        let others = ["hooks", "answers"].map(|name| &costs[name]["tokens"]);
        vec![
            same_money("... and billed", &billed["usd"], self.billed),
            same("... tool list", &costs["tool_list"], tool_list),
            CheckResult {
                name: "... no other texts",
                passed: others.iter().all(|tokens| **tokens == 0),
                detail: format!("{others:?}"),
            },
            same("... gross", &billed["gross"], gross),
            same("... re-reads", &costs["rereads"], rereads),
            same("... extra turns", &costs["extra_turns"], extra_turns),
            same("... net", &billed["net"], &net),
        ]
    }
}

/// Compares a sum of `forebay stats`, in tokens and in money.
fn same(name: &'static str, found: &Value, expected: &Sum) -> CheckResult {
    let money = same_money(name, &found["usd"], expected.dollars);
    let passed = money.passed && expected.tokens != 0 && found["tokens"] == expected.tokens;
    let detail = format!("{} of {} tokens, ${}", found["tokens"], expected.tokens, money.detail);
    CheckResult { name, passed, detail }
}

fn same_money(name: &'static str, found: &Value, expected: f64) -> CheckResult {
    let found = found.as_f64().unwrap_or(f64::NAN);
    let passed = (found - expected).abs() < ROUNDING;
    CheckResult { name, passed, detail: format!("{found} of {expected}") }
}

/// What the ledger has of single calls.
struct Credits {
    /// By reference.
    outputs: BTreeMap<String, Output>,
    reread: Vec<i64>,
}

impl Credits {
    fn read(env: &AgentEnv<'_>) -> Result<Self> {
        let projects = fs::read_dir(env.root().join("data/projects"))?;
        let mut databases = projects.filter_map(|one| Some(one.ok()?.path().join("store.db")));
        let database = databases.find(|path| path.is_file()).context("no store")?;
        let connection = Connection::open(database)?;
        let mut rows = connection.prepare(
            "SELECT tool, '[ctx:' || ref || ']', host_tokens, delivered_tokens FROM usage
             WHERE ref IS NOT NULL ORDER BY id",
        )?;
        let rows = rows.query_map([], |row| {
            let output = Output { host: row.get(2)?, delivered: row.get(3)? };
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, output))
        })?;
        let mut credits = Self { outputs: BTreeMap::new(), reread: Vec::new() };
        for row in rows {
            let (tool, reference, output) = row?;
            if REREAD.ends_with(&tool) {
                credits.reread.push(output.delivered);
            } else {
                credits.outputs.insert(reference, output);
            }
        }
        Ok(credits)
    }
}

/// The texts of the results that the agent saved to files.
fn saved_results(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in
            fs::read_dir(&folder)?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?
        {
            if path.is_dir() {
                folders.push(path);
            } else if folder.ends_with(SAVED_RESULTS) {
                texts.push(String::from_utf8_lossy(&fs::read(path)?).into_owned());
            }
        }
    }
    Ok(texts)
}

/// Tokens of what the agent would have shown of a result.
fn shown_tokens(raw: &str, saved: &[String]) -> i64 {
    let is_saved = saved.iter().any(|text| text.trim_end() == raw.trim_end());
    tokens(raw.len().min(if is_saved { MAX_PREVIEW } else { MAX_SHOWN }))
}

fn tokens(bytes: usize) -> i64 {
    i64::try_from(bytes.div_ceil(4)).unwrap_or(i64::MAX)
}

/// What the model claims to have counted.
struct Usage {
    input: i64,
    cache_read: i64,
    cache_write: i64,
    output: i64,
}

impl Usage {
    fn of_request(body: &Value) -> Self {
        let usage = messages::usage(body);
        let number = |name: &str| usage[name].as_i64().unwrap_or_default();
        Self {
            input: number("input_tokens"),
            cache_read: number("cache_read_input_tokens"),
            cache_write: number("cache_creation_input_tokens"),
            output: number("output_tokens"),
        }
    }

    fn prompt(&self) -> i64 {
        self.input + self.cache_read + self.cache_write
    }

    fn dollars(&self) -> f64 {
        let Self { input, cache_read, cache_write, output } = self;
        let parts = [
            (input, INPUT),
            (cache_read, CACHE_READ),
            (cache_write, CACHE_WRITE),
            (output, OUTPUT),
        ];
        parts.into_iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
    }
}

/// A result in a request.
struct SentResult {
    id: String,
    tool: String,
    text: String,
}

impl SentResult {
    /// The digest in place of the result and its reference, without what the agent writes above the output of a failed
    /// command. A result that only mentions a reference is none.
    fn digest(&self) -> Option<(&str, &str)> {
        let reference = script::reference(&self.text)?;
        let (frame, _) = self.text.split_once(reference)?;
        let is_frame = frame.is_empty()
            || frame.starts_with(FAILURE_FRAME) && frame.trim_end().lines().count() == 1;
        is_frame.then(|| (reference, &self.text[frame.len()..]))
    }
}

fn results(body: &Value) -> Vec<SentResult> {
    let blocks = || {
        let messages = body["messages"].as_array().into_iter().flatten();
        messages.flat_map(|message| message["content"].as_array().into_iter().flatten())
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = blocks().filter(|block| block["type"] == "tool_use");
    let tools: BTreeMap<String, String> =
        calls.map(|call| (text(&call["id"]), text(&call["name"]))).collect();
    let results = blocks().filter(|block| block["type"] == "tool_result");
    results
        .map(|result| {
            let id = text(&result["tool_use_id"]);
            let tool = tools.get(&id).cloned().unwrap_or_default();
            let text = without_reminders(&text_content(&result["content"])).to_owned();
            SentResult { id, tool, text }
        })
        .collect()
}

/// A result without what the agent wrote below it, one reminder after another.
fn without_reminders(mut text: &str) -> &str {
    let (start, end) = REMINDER;
    while let Some(at) = text.rfind(start).filter(|_| text.trim_end().ends_with(end)) {
        let result = &text[..at];
        let result = result.strip_suffix('\n').unwrap_or(result);
        text = result.strip_suffix('\n').unwrap_or(result);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminders_of_the_agent_are_no_part_of_a_result() {
        let reminder = "<system-reminder>\n9 tokens left\n</system-reminder>";
        for separator in ["", "\n", "\n\n"] {
            let one = format!("a\nb{separator}{reminder}");
            assert_eq!(without_reminders(&one), "a\nb");
            assert_eq!(without_reminders(&format!("{one}{separator}{reminder}\n")), "a\nb");
        }
        assert_eq!(without_reminders("<system-reminder> is a tag"), "<system-reminder> is a tag");
    }

    fn sent_result(text: &str) -> SentResult {
        SentResult { id: "t".to_owned(), tool: "Bash".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_digest_begins_with_its_reference_or_below_the_frame_of_a_failure() {
        let digest = "[ctx:k3v9m2a1xq] exit 3\nunchanged since [ctx:aaaaaaaaaa]";
        let expected = Some(("[ctx:k3v9m2a1xq]", digest));
        assert_eq!(sent_result(digest).digest(), expected);
        assert_eq!(sent_result(&format!("Exit code 3\n{digest}")).digest(), expected);
        assert_eq!(sent_result(&format!("line 1\n{digest}")).digest(), None);
        assert_eq!(sent_result("a short answer").digest(), None);
    }

    #[test]
    fn a_saved_result_would_have_been_shown_as_its_start() {
        let raw = "x".repeat(40_000);
        assert_eq!(shown_tokens(&raw, &[]), 7_500);
        assert_eq!(shown_tokens(&raw, &[format!("{raw}\n")]), 512);
        assert_eq!(shown_tokens("abcde", &[]), 2);
    }
}
