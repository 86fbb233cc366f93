//! The report as text.

use forebay_domain::billing::prices::PRICES_AS_OF;
use forebay_domain::billing::{Balance, Cost, Money, Source};
use forebay_domain::usage::{RequestTotals, Totals};
use forebay_store::StoreStats;
use forebay_text::number;

use super::Report;
use crate::ledger::account::Account;
use crate::render::describe;

/// What the heading of the second table starts with.
pub const BILLED_HEADING: &str = "billed";

/// The width of the names, if they are short.
const MIN_NAME_WIDTH: usize = 16;
/// Larger numbers are rounded, so that a column holds them.
const MAX_EXACT: u64 = 9_999_999;

pub(super) fn text(report: &Report) -> String {
    let accounts = accounts(report);
    // The longest name keeps the columns of all rows aligned.
    let tools = report.project.tools.iter().filter(|(_, tool)| tool.totals.answers > 0);
    let width =
        tools.clone().map(|(tool, _)| tool.chars().count() + 3).fold(MIN_NAME_WIDTH, usize::max);
    let mut lines = vec![format!(
        "{:<width$}{:>8}{:>12}{:>12}{:>12}",
        "", "answers", "host shows", "delivered", "saved"
    )];
    lines.extend(accounts.iter().map(|(name, one)| row(name, width, one.totals())));
    lines.extend(tools.map(|(tool, one)| row(&format!("  {tool}"), width, one.totals)));
    lines.extend(billed_lines(&accounts, width));
    lines.push(store_line(&report.facts));
    lines.push("1 token = 4 bytes. Commands at a terminal are not counted.".to_owned());
    lines.push(
        "Saved: at most 30,000 characters of each output that a host would have shown; skeletons save nothing."
            .to_owned(),
    );
    if report.project.requests.requests > 0 {
        lines.push(format!(
            "Billed: tokens of all requests that carried a text, at list prices of {PRICES_AS_OF} \
             (docs/concepts/savings.md)."
        ));
    }
    lines.join("\n")
}

/// The accounts to show, with their names: not those that say the same.
fn accounts(report: &Report) -> Vec<(&'static str, &Account)> {
    let mut accounts = Vec::new();
    if report.session != Account::default() {
        accounts.push(("this session", &report.session));
    }
    let is_news = report.today != report.project && report.today != report.session;
    if is_news && report.today != Account::default() {
        accounts.push(("today", &report.today));
    }
    accounts.push((if report.since.is_some() { "since then" } else { "project" }, &report.project));
    accounts
}

fn row(name: &str, width: usize, totals: Totals) -> String {
    format!(
        "{name:<width$}{:>8}{:>12}{:>12}{:>12}",
        number::grouped(totals.answers),
        number::grouped(totals.host_tokens),
        number::grouped(totals.delivered_tokens),
        describe::signed(totals.saved()),
    )
}

/// What the tokens saved and cost over all requests, for accounts with requests.
fn billed_lines(accounts: &[(&'static str, &Account)], width: usize) -> Vec<String> {
    let billed: Vec<&(&str, &Account)> =
        accounts.iter().filter(|(_, account)| account.requests.requests > 0).collect();
    let Some((_, first)) = billed.first() else { return Vec::new() };
    let mut lines = vec![format!(
        "{BILLED_HEADING:<width$}{:>11}{:>11}{:>11}{:>11}",
        "gross", "costs", "net", "in money"
    )];
    lines.extend(billed.iter().map(|(name, account)| billed_row(name, width, account)));
    lines.extend(costs_line(&first.balance()));
    lines.extend(billed.iter().map(|(name, account)| requests_line(name, account)));
    let without: u64 = accounts.last().map_or(0, |(_, account)| account.unplaced);
    if without > 0 {
        let answers = number::counted(without, "answer");
        lines.push(format!("not in it: {answers} in contexts whose requests no host reported"));
    }
    lines
}

fn billed_row(name: &str, width: usize, account: &Account) -> String {
    let balance = account.balance();
    let (cost, net) = (balance.cost(), balance.net());
    format!(
        "{name:<width$}{:>11}{:>11}{:>11}{:>11}",
        signed_rounded(balance.gross.tokens),
        signed_rounded(-(cost.tokens.total() as i64)),
        signed_rounded(net.tokens),
        money(net.money),
    )
}

/// What the costs consist of.
fn costs_line(balance: &Balance) -> Option<String> {
    let of = |source| balance.costs.get(&source).copied().unwrap_or_default();
    let extra = number::counted(balance.extra_turn_count, "extra turn");
    let parts = [
        ("tool list", of(Source::ToolList)),
        ("hooks", of(Source::Hook)),
        ("answers", of(Source::Answer)),
        ("re-reads", of(Source::Reread)),
        (extra.as_str(), balance.extra_turns),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, cost)| *cost != Cost::default())
        .map(|(name, cost)| format!("{name} {}", rounded(cost.tokens.total())))
        .collect();
    (!parts.is_empty()).then(|| format!("costs: {}", parts.join(", ")))
}

/// What the host's model provider counted.
fn requests_line(name: &str, account: &Account) -> String {
    let RequestTotals { requests, tokens } = account.requests;
    let written = tokens.cache_write + tokens.cache_write_1h;
    let [input, cache_read, cache_write, output] =
        [tokens.input, tokens.cache_read, written, tokens.output].map(number::grouped);
    let requests = number::counted(requests, "reported request");
    let price = match account.billed.money {
        Some(money) => money.to_string(),
        None => format!("no price known for {}", unpriced(account)),
    };
    format!(
        "{name}: {requests} to the model; its provider counted {input} input, {cache_read} cache read, \
         {cache_write} cache write, {output} output tokens; {price}"
    )
}

fn unpriced(account: &Account) -> String {
    let names: Vec<&str> = account
        .unpriced
        .iter()
        .map(|model| if model.is_empty() { "an unnamed model" } else { model })
        .collect();
    if names.is_empty() { "its cache writes".to_owned() } else { names.join(", ") }
}

fn money(money: Option<Money>) -> String {
    money.map_or_else(|| "unknown".to_owned(), |money| money.to_string())
}

pub(super) fn signed_rounded(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", rounded(number.unsigned_abs()))
}

fn rounded(number: u64) -> String {
    if number > MAX_EXACT { number::rough(number) } else { number::grouped(number) }
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
