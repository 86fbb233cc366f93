//! `ctx_stats`: tokens saved, with Forebay's own costs deducted, and tokens of requests to the model.

use std::collections::BTreeMap;

use forebay_domain::session;
use forebay_domain::usage::{RequestTotals, TERMINAL_SESSION, Totals};
use forebay_store::StoreStats;
use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::{Answer, App, AppError, Call};

pub struct Stats;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl Tool for Stats {
    const NAME: &'static str = "ctx_stats";
    const DESCRIPTION: &'static str = "Tokens saved in this session and project, costs included.";
    const EFFECT: Effect = Effect::ReadOnly;
    type Input = Input;

    fn call(app: &App, _: Input, _: &Call) -> Result<Answer, AppError> {
        let store = app.stores.own()?;
        app.flush_usage();
        let terminal = store.usage(Some(TERMINAL_SESSION))?;
        let project = Usage {
            tools: without(store.usage(None)?, &terminal),
            requests: store.requests(None)?,
        };
        let session = match app.session.as_str() {
            TERMINAL_SESSION => Usage::default(),
            key => Usage {
                tools: store.usage(Some(key))?,
                requests: store.requests(Some(session::conversation(key)))?,
            },
        };
        let facts = store.stats()?;
        let data = json!({
            "session": usage_data(&session),
            "project": usage_data(&project),
            "store": {
                "entries": facts.entries,
                "chunks": facts.chunks,
                "sessions": facts.sessions,
                "raw_bytes": facts.raw_bytes,
                "disk_bytes": facts.disk_bytes,
            },
        });
        Ok(Answer::new(render(&session, &project, &facts), data))
    }
}

/// What was counted in a session or a project.
#[derive(Default)]
struct Usage {
    tools: BTreeMap<String, Totals>,
    requests: RequestTotals,
}

/// Subtracts what older versions counted of commands at a terminal.
fn without(
    mut usage: BTreeMap<String, Totals>,
    terminal: &BTreeMap<String, Totals>,
) -> BTreeMap<String, Totals> {
    for (tool, part) in terminal {
        if let Some(totals) = usage.get_mut(tool) {
            *totals = totals.without(*part);
        }
    }
    usage.retain(|_, totals| totals.answers > 0);
    usage
}

fn total(usage: &BTreeMap<String, Totals>) -> Totals {
    let mut sum = Totals::default();
    for totals in usage.values() {
        sum.add(*totals);
    }
    sum
}

/// The width of the names, if they are short.
const MIN_NAME_WIDTH: usize = 16;

fn render(session: &Usage, project: &Usage, facts: &StoreStats) -> String {
    // The longest name keeps the columns of all rows aligned.
    let names = project.tools.keys();
    let width = names.map(|tool| tool.chars().count() + 3).fold(MIN_NAME_WIDTH, usize::max);
    let mut lines = vec![format!(
        "{:<width$}{:>8}{:>12}{:>12}{:>12}",
        "", "answers", "host shows", "delivered", "saved"
    )];
    if !session.tools.is_empty() {
        lines.push(row("this session", width, total(&session.tools)));
    }
    lines.push(row("project", width, total(&project.tools)));
    lines.extend(
        project.tools.iter().map(|(tool, totals)| row(&format!("  {tool}"), width, *totals)),
    );
    lines.extend(requests_line("this session", session.requests));
    lines.extend(requests_line("project", project.requests));
    lines.push(store_line(facts));
    lines.push("1 token = 4 bytes. Commands at a terminal are not counted.".to_owned());
    lines.push(
        "Saved: at most 30,000 characters of each output that a host would have shown; skeletons save nothing."
            .to_owned(),
    );
    lines.join("\n")
}

fn row(name: &str, width: usize, totals: Totals) -> String {
    format!(
        "{name:<width$}{:>8}{:>12}{:>12}{:>12}",
        number::grouped(totals.answers),
        number::grouped(totals.host_tokens),
        number::grouped(totals.delivered_tokens),
        signed(totals.saved()),
    )
}

/// What the host's model provider counted, if the host reports it.
fn requests_line(name: &str, totals: RequestTotals) -> Option<String> {
    let RequestTotals { requests, tokens } = totals;
    let [input, cache_read, cache_write, output] =
        [tokens.input, tokens.cache_read, tokens.cache_write + tokens.cache_write_1h, tokens.output]
            .map(number::grouped);
    let requests = number::counted(requests, "reported request");
    (totals.requests > 0).then(|| {
        format!(
            "{name}: {requests} to the model; its provider counted {input} input, {cache_read} cache read, \
             {cache_write} cache write, {output} output tokens"
        )
    })
}

fn signed(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", number::grouped(number.unsigned_abs()))
}

fn store_line(facts: &StoreStats) -> String {
    let entries: u64 = facts.entries.values().sum();
    let kinds: Vec<String> =
        facts.entries.iter().map(|(kind, count)| number::counted(*count, kind)).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    format!(
        "stored: {}{kinds}, {} of text in {} on disk",
        number::counted(entries, "entry"),
        number::bytes(facts.raw_bytes),
        number::bytes(facts.disk_bytes)
    )
}

fn usage_data(Usage { tools: usage, requests }: &Usage) -> Value {
    let data = |totals: Totals| {
        json!({
            "answers": totals.answers,
            "raw_tokens": totals.raw_tokens,
            "host_tokens": totals.host_tokens,
            "delivered_tokens": totals.delivered_tokens,
            "saved_tokens": totals.saved(),
        })
    };
    let tools: serde_json::Map<String, Value> =
        usage.iter().map(|(tool, totals)| (tool.clone(), data(*totals))).collect();
    json!({ "total": data(total(usage)), "tools": tools, "requests": requests_data(*requests) })
}

fn requests_data(totals: RequestTotals) -> Option<Value> {
    let RequestTotals { requests, tokens } = totals;
    (requests > 0).then(|| {
        json!({
            "count": requests,
            "input_tokens": tokens.input,
            "cache_read_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write,
            "cache_write_1h_tokens": tokens.cache_write_1h,
            "output_tokens": tokens.output,
        })
    })
}
