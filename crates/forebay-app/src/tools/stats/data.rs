//! The report as data.

use forebay_domain::billing::prices::PRICES_AS_OF;
use forebay_domain::billing::{Balance, Cost, Difference, Money, Source};
use forebay_domain::usage::{BilledTokens, RequestTotals, Totals};
use forebay_store::StoreStats;
use serde_json::{Map, Value, json};

use crate::ledger::account::Account;

/// The parts that an account is divided into over time.
const TIMELINE_PARTS: usize = 24;

pub(super) fn account(account: &Account) -> Value {
    let tools: Map<String, Value> = account
        .tools
        .iter()
        .filter(|(_, tool)| tool.totals.answers > 0)
        .map(|(name, tool)| (name.clone(), totals(tool.totals)))
        .collect();
    json!({
        "total": totals(account.totals()),
        "tools": tools,
        "requests": requests(account.requests),
        "billed": (account.requests.requests > 0).then(|| billed(account)),
        "digests": account.digests,
        "rereads": account.rereads(),
        "answers_without_requests": account.unplaced,
        "timeline": timeline(account),
    })
}

pub(super) fn store(facts: &StoreStats) -> Value {
    json!({
        "entries": facts.entries,
        "chunks": facts.chunks,
        "sessions": facts.sessions,
        "raw_bytes": facts.raw_bytes,
        "disk_bytes": facts.disk_bytes,
    })
}

fn totals(totals: Totals) -> Value {
    json!({
        "answers": totals.answers,
        "raw_tokens": totals.raw_tokens,
        "host_tokens": totals.host_tokens,
        "delivered_tokens": totals.delivered_tokens,
        "saved_tokens": totals.saved(),
    })
}

fn requests(RequestTotals { requests, tokens }: RequestTotals) -> Option<Value> {
    let BilledTokens { input, cache_read, cache_write, cache_write_1h, output } = tokens;
    (requests > 0).then(|| {
        json!({
            "count": requests,
            "input_tokens": input,
            "cache_read_tokens": cache_read,
            "cache_write_tokens": cache_write,
            "cache_write_1h_tokens": cache_write_1h,
            "output_tokens": output,
        })
    })
}

fn billed(account: &Account) -> Value {
    let tools: Map<String, Value> = account
        .tools
        .iter()
        .map(|(name, tool)| (name.clone(), difference(tool.balance.net())))
        .collect();
    let balance = account.balance();
    json!({
        "usd": dollars(account.billed.money),
        "gross": difference(balance.gross),
        "costs": costs(&balance),
        "net": difference(balance.net()),
        "tools": tools,
        "prices_as_of": PRICES_AS_OF,
        "models_without_price": account.unpriced,
    })
}

fn costs(balance: &Balance) -> Value {
    let of = |source| cost(balance.costs.get(&source).copied().unwrap_or_default());
    json!({
        "tool_list": of(Source::ToolList),
        "hooks": of(Source::Hook),
        "answers": of(Source::Answer),
        "rereads": of(Source::Reread),
        "extra_turns": cost(balance.extra_turns),
        "extra_turn_count": balance.extra_turn_count,
        "total": cost(balance.cost()),
    })
}

fn cost(cost: Cost) -> Value {
    json!({ "tokens": cost.tokens.total(), "usd": dollars(cost.money) })
}

fn difference(difference: Difference) -> Value {
    json!({ "tokens": difference.tokens, "usd": dollars(difference.money) })
}

/// Unknown is null.
fn dollars(money: Option<Money>) -> Option<f64> {
    money.map(Money::dollars)
}

/// Tokens kept out of contexts, in equal parts of the time from the first answer to the last.
fn timeline(account: &Account) -> Option<Value> {
    let times = || account.timeline.iter().map(|(at, _)| at.0);
    let (from, to) = times().min().zip(times().max())?;
    let mut tokens = [0_i64; TIMELINE_PARTS];
    let parts = TIMELINE_PARTS as i64;
    for (at, saved) in &account.timeline {
        let part = (at.0 - from).saturating_mul(parts) / (to - from + 1);
        tokens[part.clamp(0, parts - 1) as usize] += saved;
    }
    Some(json!({ "from": from, "to": to, "saved_tokens": tokens }))
}
