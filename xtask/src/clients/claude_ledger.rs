//! Claude Code with 40 calls: what `forebay stats` says of them agrees with what the model was sent, to the token.
//!
//! Everything is recomputed from the bodies of the requests: which results were digests, which were read again, how often each
//! was sent, and what that cost. Of Forebay only the stored results and the size of the tool list are taken.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
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
/// The tool that reads a stored result again.
const REREAD: &str = "mcp__forebay__ctx_get";
/// Sums of money are compared in dollars; they are rounded when they are written.
const ROUNDING: f64 = 1e-9;

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let mut env = fixture.env(host, "ledger")?;
    env.set_variable("ANTHROPIC_MODEL", MODEL);
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.prompt(&model, &script::prompt(&steps()), false)?;
    let exchanges = model.drain();
    env.save_requests("ledger", &exchanges)?;
    let stats: Value = serde_json::from_str(&env.stats(&["--json"])?)?;
    let project = &stats["project"];
    let expected = Expected::compute(&env, &exchanges, project)?;
    let billed = &project["billed"];
    let tokens = |name: &str| billed["costs"][name]["tokens"].as_i64().unwrap_or_default();
    let dollars = |value: &Value| value["usd"].as_f64().unwrap_or(f64::NAN);
    let same = |name, found: i64, expected: i64| CheckResult {
        name,
        passed: found == expected && found != 0,
        detail: format!("{found} of {expected}"),
    };
    let same_money = |name, found: f64, expected: f64| CheckResult {
        name,
        passed: (found - expected).abs() < ROUNDING,
        detail: format!("{found} of {expected}"),
    };
    let [in_requests, in_stats] = [sent(&exchanges), stored(&project["requests"])];
    let net = expected.gross - expected.rereads - expected.extra_turns - expected.tool_list;
    Ok(vec![
        CheckResult {
            name: "40 calls: all requests are counted",
            passed: in_requests == in_stats && expected.calls == CALLS,
            detail: format!("{in_stats:?} of {in_requests:?}, {} calls", expected.calls),
        },
        same_money("... and billed", dollars(billed), expected.billed),
        same(
            "... gross tokens",
            billed["gross"]["tokens"].as_i64().unwrap_or_default(),
            expected.gross,
        ),
        same_money("... and money", dollars(&billed["gross"]), expected.gross_money),
        same("... tool list", tokens("tool_list"), expected.tool_list),
        same("... re-reads", tokens("rereads"), expected.rereads),
        same("... extra turns", tokens("extra_turns"), expected.extra_turns),
        same("... net tokens", billed["net"]["tokens"].as_i64().unwrap_or_default(), net),
    ])
}

/// Long results, short ones, failing ones, some that the host cuts, and re-reads; some of them in parallel.
fn steps() -> Value {
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
    let mut steps: Vec<Vec<Value>> = Vec::new();
    for number in 0..CALLS {
        // Calls 5 and 6, 15 and 16, and so on are made at once.
        match steps.last_mut().filter(|_| number % 10 == 6) {
            Some(last) => last.push(call(number)),
            None => steps.push(vec![call(number)]),
        }
    }
    json!(steps)
}

/// What the ledger must say.
#[derive(Debug, Default)]
struct Expected {
    calls: usize,
    billed: f64,
    gross: i64,
    gross_money: f64,
    tool_list: i64,
    rereads: i64,
    extra_turns: i64,
}

impl Expected {
    fn compute(env: &AgentEnv<'_>, exchanges: &[Exchange], project: &Value) -> Result<Self> {
        let mut expected = Self::default();
        let list = project["tools"]["tool list"]["delivered_tokens"].as_i64();
        let list = list.context("the tool list is not counted")?;
        let bodies: Vec<Value> = exchanges
            .iter()
            .map(|exchange| serde_json::from_str(&exchange.request.raw))
            .collect::<Result<_, _>>()?;
        let mut known: BTreeMap<String, i64> = BTreeMap::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (index, body) in bodies.iter().enumerate() {
            let usage = Usage::of_request(body);
            expected.billed += usage.dollars();
            expected.tool_list += list;
            let mut has_new_reread = false;
            for result in results(body) {
                let is_new = seen.insert(result.id.clone());
                let price = if is_new { CACHE_WRITE } else { CACHE_READ };
                if result.tool == REREAD {
                    expected.rereads += result.tokens();
                    has_new_reread |= is_new;
                } else if let Some(reference) = script::reference(&result.text) {
                    let raw = match known.get(reference) {
                        Some(raw) => *raw,
                        None => shown_tokens(&env.entry(reference)?),
                    };
                    known.insert(reference.to_owned(), raw);
                    let saved = raw - result.tokens();
                    expected.gross += saved;
                    expected.gross_money += saved as f64 * price / 1e6;
                }
            }
            if has_new_reread {
                // The request before made the call: its output, and its prompt once more in this one.
                let before = Usage::of_request(&bodies[index - 1]);
                expected.extra_turns += before.output + before.prompt();
            }
        }
        expected.calls = seen.len();
        Ok(expected)
    }
}

/// Tokens of what the agent would have shown of a result.
fn shown_tokens(raw: &str) -> i64 {
    tokens(raw.len().min(MAX_SHOWN))
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
    fn tokens(&self) -> i64 {
        tokens(self.text.len())
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
            SentResult { id, tool, text: text_content(&result["content"]) }
        })
        .collect()
}
