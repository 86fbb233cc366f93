//! The chapter about what was measured in this project: the billed ledger, verdicts and the holdout.

use std::collections::BTreeMap;

use forebay_domain::billing::prices::PRICES_AS_OF;
use forebay_domain::billing::{Balance, Cost, Difference, Money, Source};
use forebay_domain::usage::Totals;
use forebay_text::number::{counted, grouped};

use super::super::text::UNKNOWN;
use super::chart::{Bar, BarPart, Chart, Tone};
use super::{Block, Chapter, Figure, Section, Table, share};
use crate::ledger::account::{Account, ToolAccount};
use crate::ledger::holdout::{Compared, Comparison};
use crate::ledger::verdicts::Verdict;
use crate::ledger::{Coverage, Evidence, Ledger, MIN_VALUES, Period};
use crate::render::describe::signed;

/// Tools with a row of their own.
const MAX_ROWS: usize = 25;

pub(super) fn chapter(ledger: &Ledger) -> Chapter {
    let title = "Measured in this project";
    if ledger.is_empty() {
        let text = "No result was replaced, and no request was reported.".to_owned();
        let section = Section { title: "Nothing yet", blocks: vec![Block::Text(text)] };
        let sections = vec![covered(&ledger.coverage), section];
        return Chapter { title, figures: Vec::new(), sections };
    }
    let mut sections =
        vec![covered(&ledger.coverage), billed(ledger), by_period(ledger), by_tool(ledger)];
    sections.extend(by_recognizer(&ledger.evidence));
    sections.push(holdout(&ledger.evidence));
    sections.push(method());
    sections.push(limits());
    Chapter { title, figures: figures(ledger), sections }
}

fn covered(Coverage { project, since, until }: &Coverage) -> Section {
    let start =
        since.map_or_else(|| "all that is recorded".to_owned(), |since| format!("since {since}"));
    let end = until.map_or_else(String::new, |until| format!(", as of {until}"));
    let text = format!("Project {project}: {start}{end}.");
    Section { title: "What is covered", blocks: vec![Block::Text(text)] }
}

fn figures(ledger: &Ledger) -> Vec<Figure> {
    let figure = |value: String, label: String| Figure { value, label };
    let account = &ledger.account;
    let balance = account.balance();
    let requests = counted(account.requests.requests, "reported request");
    let digests: u64 = ledger.evidence.recognizers.values().map(|one| one.uses).sum();
    let reread: u64 = ledger.evidence.recognizers.values().map(|one| one.reread).sum();
    let mut figures = Vec::new();
    if account.requests.requests > 0 {
        let net = balance.net();
        figures.push(figure(money(net.money), format!("net, at list prices, over {requests}")));
        figures.push(figure(
            signed(net.tokens),
            format!("tokens fewer in all prompts, net; {} gross", signed(balance.gross.tokens)),
        ));
    }
    figures.push(figure(
        signed(account.totals().saved()),
        "tokens kept out of contexts, less those of Forebay's own texts; each counted once"
            .to_owned(),
    ));
    if digests > 0 {
        figures.push(figure(
            share(reread, digests),
            format!("of {} read again, in part or whole", counted(digests, "digest")),
        ));
    }
    figures
}

fn billed(ledger: &Ledger) -> Section {
    let account = &ledger.account;
    let balance = account.balance();
    if account.requests.requests == 0 {
        let text = "No host reported requests to its model here, so only the tokens that were kept out are known: what they \
                    would have cost in later requests is not.";
        return Section { title: "What was billed", blocks: vec![Block::Text(text.to_owned())] };
    }
    let cost = |source| balance.costs.get(&source).copied().unwrap_or_default();
    let loss = |name: &str, cost: Cost| (name.to_owned(), minus(cost));
    let parts = [
        ("gross, by digests".to_owned(), balance.gross),
        loss("tool list", cost(Source::ToolList)),
        loss("guide and other text of hooks", cost(Source::Hook)),
        loss("answers of tools", cost(Source::Answer)),
        loss("re-reads", cost(Source::Reread)),
        loss(&counted(balance.extra_turn_count, "extra turn"), balance.extra_turns),
        ("net".to_owned(), balance.net()),
    ];
    let total = account.billed.more_than(Cost::default());
    let mut rows = vec![difference_row("billed, all requests", total)];
    rows.extend(parts.iter().map(|(name, difference)| difference_row(name, *difference)));
    let chart = Chart {
        title: "Tokens in all prompts",
        legend: vec![(Tone::Gain, "gain"), (Tone::Loss, "loss")],
        bars: parts.iter().map(|(name, difference)| bar(name, difference.tokens)).collect(),
    };
    let mut blocks = vec![
        Block::Chart(chart),
        Block::Table(Table { head: vec!["", "tokens", "money"], rows, has_sum: true }),
    ];
    let tokens = account.requests.tokens;
    blocks.push(Block::Text(
        "The tokens of all requests are the provider's count, as the hosts reported it or wrote it to their transcripts. Those \
         of the other rows are estimated from the texts, at 4 bytes each, for every prompt that had the text; only an extra \
         turn is the provider's count, too."
            .to_owned(),
    ));
    blocks.push(Block::Text(format!(
        "From {}, of which the provider counted {} input, {} cache read, {} cache write and {} output tokens.",
        counted(account.requests.requests, "reported request"),
        grouped(tokens.input),
        grouped(tokens.cache_read),
        grouped(tokens.cache_write + tokens.cache_write_1h),
        grouped(tokens.output),
    )));
    blocks.extend(unknown(account));
    Section { title: "What was billed", blocks }
}

/// What is missing in the figures.
fn unknown(account: &Account) -> Option<Block> {
    let mut missing = Vec::new();
    if !account.unpriced.is_empty() {
        let models = counted(account.unpriced.len() as u64, "model");
        missing.push(format!("the prices of {models}, so sums with their requests have no money"));
    }
    if account.unplaced > 0 {
        let answers = counted(account.unplaced, "answer");
        missing.push(format!("the requests that carried {answers}, which count in no prompt"));
    }
    (!missing.is_empty()).then(|| Block::Text(format!("Unknown: {}.", missing.join("; "))))
}

fn by_period(ledger: &Ledger) -> Section {
    let net = |period: &Period| period.account.balance().net();
    let row = |period: &Period| {
        let balance = period.account.balance();
        let has_requests = period.account.requests.requests > 0;
        let known = |text: String| if has_requests { text } else { UNKNOWN.to_owned() };
        vec![
            period.name.clone(),
            grouped(period.account.requests.requests),
            grouped(period.account.digests),
            grouped(period.account.rereads()),
            signed(period.account.totals().saved()),
            known(signed(balance.gross.tokens)),
            known(signed(-(balance.cost().tokens.total() as i64))),
            known(signed(balance.net().tokens)),
            known(money(balance.net().money)),
        ]
    };
    let bars = ledger.periods.iter().map(|period| bar(&period.name, net(period).tokens));
    let mut blocks = Vec::new();
    if ledger.account.requests.requests > 0 {
        blocks.push(Block::Chart(Chart {
            title: "Net tokens in all prompts, by time",
            legend: vec![(Tone::Gain, "gain"), (Tone::Loss, "loss")],
            bars: bars.collect(),
        }));
    }
    blocks.push(Block::Table(Table {
        head: vec![
            "time",
            "requests",
            "shorter answers",
            "re-reads",
            "kept out",
            "gross",
            "costs",
            "net",
            "net money",
        ],
        rows: ledger.periods.iter().map(row).collect(),
        has_sum: false,
    }));
    Section { title: "By time", blocks }
}

fn by_tool(ledger: &Ledger) -> Section {
    let mut tools: Vec<(&String, &ToolAccount)> = ledger.account.tools.iter().collect();
    tools.sort_by_key(|(_, tool)| -tool.totals.saved());
    let has_requests = ledger.account.requests.requests > 0;
    let row = |name: &str, totals: Totals, balance: &Balance| {
        let net = balance.net();
        let known = |text: String| if has_requests { text } else { UNKNOWN.to_owned() };
        vec![
            name.to_owned(),
            grouped(totals.answers),
            grouped(totals.host_tokens),
            grouped(totals.delivered_tokens),
            signed(totals.saved()),
            known(signed(net.tokens)),
            known(money(net.money)),
        ]
    };
    let shown = tools.iter().take(MAX_ROWS);
    let mut rows: Vec<Vec<String>> =
        shown.clone().map(|(name, tool)| row(name, tool.totals, &tool.balance)).collect();
    let rest = &tools[tools.len().min(MAX_ROWS)..];
    if !rest.is_empty() {
        let (mut totals, mut balance) = (Totals::default(), Balance::default());
        for (_, tool) in rest {
            totals.add(tool.totals);
            balance.add(&tool.balance);
        }
        rows.push(row(&format!("{} more", rest.len()), totals, &balance));
    }
    rows.push(row("all", ledger.account.totals(), &ledger.account.balance()));
    let chart = Chart {
        title: "Tokens kept out of contexts, each counted once",
        legend: vec![(Tone::Gain, "saved"), (Tone::Loss, "added")],
        bars: shown.map(|(name, tool)| bar(name, tool.totals.saved())).collect(),
    };
    let head = vec!["tool", "answers", "host shows", "delivered", "kept out", "net", "net money"];
    Section {
        title: "By tool of Forebay",
        blocks: vec![Block::Chart(chart), Block::Table(Table { head, rows, has_sum: true })],
    }
}

/// The verdicts on digests; nothing if there were none.
fn by_recognizer(evidence: &Evidence) -> Option<Section> {
    if evidence.recognizers.is_empty() && evidence.switched_off.is_empty() {
        return None;
    }
    let is_off = |name: &str| evidence.switch_off(name).is_some();
    let mut blocks = vec![
        Block::Table(verdicts("recognizer", &evidence.recognizers, is_off)),
        Block::Table(verdicts("tool of the agent", &evidence.tools, |_| false)),
    ];
    let decisions = evidence.switched_off.iter().map(|off| {
        format!(
            "{}: its results pass raw since {} had cost {} tokens more than they saved.",
            off.recognizer,
            counted(off.uses, "digest"),
            grouped(off.net_tokens.unsigned_abs()),
        )
    });
    let decisions: Vec<String> = decisions.collect();
    blocks.extend((!decisions.is_empty()).then_some(Block::List(decisions)));
    Some(Section { title: "What digests were worth", blocks })
}

fn verdicts(
    name: &'static str,
    verdicts: &BTreeMap<String, Verdict>,
    is_off: impl Fn(&str) -> bool,
) -> Table {
    let mut sorted: Vec<(&String, &Verdict)> = verdicts.iter().collect();
    sorted.sort_by_key(|(_, verdict)| -verdict.removed_tokens());
    let row = |(name, verdict): (&String, &Verdict)| {
        let is_billed = verdict.billed_uses > 0;
        let known = |text: String| if is_billed { text } else { UNKNOWN.to_owned() };
        vec![
            if is_off(name) { format!("{name} (raw now)") } else { name.clone() },
            grouped(verdict.uses),
            signed(verdict.removed_tokens()),
            share(verdict.reread, verdict.uses),
            share(verdict.repeated, verdict.uses),
            known(signed(verdict.net.tokens)),
            known(money(verdict.net.money)),
        ]
    };
    Table {
        head: vec![name, "uses", "removed", "read again", "command repeated", "net", "net money"],
        rows: sorted.into_iter().map(row).collect(),
        has_sum: false,
    }
}

fn holdout(evidence: &Evidence) -> Section {
    let share = if evidence.share > 0.0 {
        format!("Now {} of long results pass raw at random", percent(evidence.share))
    } else {
        "No results are held out now (experiment.holdout = 0)".to_owned()
    };
    let mut blocks = Vec::new();
    let (digests, held_out) =
        evidence.comparison.as_ref().map_or((0, 0), |one| (one.digests, one.held_out));
    let counts = format!(
        "{share}; the comparison has {} and {}.",
        counted(digests, "digest"),
        counted(held_out, "raw result")
    );
    blocks.push(Block::Text(counts));
    match evidence.comparison.as_ref().filter(|one| has_enough(one)) {
        None => blocks.push(Block::Text(format!(
            "Not enough data for a comparison: it takes {MIN_VALUES} sessions with results of both kinds."
        ))),
        Some(comparison) => blocks.push(Block::Table(Table {
            head: vec!["per result", "sessions", "digest", "raw", "difference", "95 % interval"],
            rows: comparison.measures.iter().map(compared).collect(),
            has_sum: false,
        })),
    }
    Section { title: "Digests compared with held-out results", blocks }
}

/// `12.5 %`
fn percent(share: f64) -> String {
    format!("{} %", (share * 10_000.0).round() / 100.0)
}

fn has_enough(comparison: &Comparison) -> bool {
    comparison.measures.iter().any(|one| one.difference.is_some())
}

fn compared(one: &Compared) -> Vec<String> {
    let shown = |value| one.measure.value_text(value);
    let (difference, interval) = match one.difference {
        None => ("not enough data".to_owned(), String::new()),
        Some(interval) => {
            let maybe_none = if interval.contains_zero() { ", maybe none" } else { "" };
            let range = format!("{} to {}", shown(interval.low), shown(interval.high));
            (format!("{}{maybe_none}", shown(interval.mean)), range)
        }
    };
    let sessions = grouped(one.sessions as u64);
    vec![
        one.measure.name().to_owned(),
        sessions,
        shown(one.digest),
        shown(one.held_out),
        difference,
        interval,
    ]
}

fn method() -> Section {
    let definitions = [
        (
            "Kept out",
            "Tokens that the host would have shown, at most 30,000 characters of each output, minus those that were \
             delivered; the tool list and the text of hooks count as delivered. Each text counts once.",
        ),
        (
            "Carrying cost",
            "A text that enters a context is part of each later prompt until the next compaction. It costs its tokens at \
             the price at which the provider billed that part of the prompt: new, read from the cache, or anew after the \
             cache expired. Which one follows from the bill of the request, not from the clock.",
        ),
        (
            "Gross",
            "For each output: the carrying cost of what the host would have shown, minus that of the digest.",
        ),
        (
            "Costs",
            "The carrying cost of the tool list in every prompt, of the text that hooks added, of answers of tools, and of \
             text that was read again; and for each request that only read again: its output, and its prompt once more.",
        ),
        ("Net", "Gross minus costs. Negative if Forebay cost more than it saved."),
        (
            "Net of a recognizer",
            "What its digests saved over the requests that are known, minus the re-reads of these results and their extra \
             turns, minus the raw result and the turn of a command that was repeated although nothing had changed.",
        ),
        (
            "Held out",
            "A hash of the call decides which results pass raw. In each session the mean of one kind is subtracted from \
             that of the other; shown is the mean over sessions with the interval of Student's t.",
        ),
    ];
    let prices = format!(
        "Requests are those that hosts reported or wrote to their transcripts, each once. Money is at the providers' list \
         prices of {PRICES_AS_OF}, or at the user's own; a model without a price makes sums unknown, never zero."
    );
    let definitions = definitions.map(|(term, text)| (term, text.to_owned())).into();
    Section {
        title: "Method of the measurement",
        blocks: vec![Block::Text(prices), Block::Definitions(definitions)],
    }
}

fn limits() -> Section {
    let limits = [
        "Tokens of texts are estimated at 4 bytes each; those of requests are the provider's count.",
        "Not every request is known: hosts leave out those beside a turn, such as for the summary of a compaction.",
        "That a raw result would have led to an earlier compaction, or to the higher price of a long prompt, is not credited.",
        "A request that read a result again counts as an extra turn, also if it would have been made anyway.",
        "Whether the agent works better with digests than without follows from held-out results alone.",
        "Prices are list prices, whether or not they were paid.",
    ];
    let limits = limits.map(str::to_owned).into();
    Section { title: "Limits of the measurement", blocks: vec![Block::List(limits)] }
}

fn bar(name: &str, tokens: i64) -> Bar {
    let tone = if tokens < 0 { Tone::Loss } else { Tone::Gain };
    Bar {
        label: name.to_owned(),
        value: format!("{} tokens", signed(tokens)),
        parts: vec![BarPart::new(tone, tokens.unsigned_abs())],
    }
}

fn minus(cost: Cost) -> Difference {
    Cost::default().more_than(cost)
}

fn difference_row(name: &str, difference: Difference) -> Vec<String> {
    vec![name.to_owned(), signed(difference.tokens), money(difference.money)]
}

fn money(money: Option<Money>) -> String {
    money.map_or_else(|| UNKNOWN.to_owned(), |money| money.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_share_is_not_rounded_to_nothing() {
        let shown = [0.1, 0.125, 0.004, 1.0].map(percent);
        assert_eq!(shown, ["10 %", "12.5 %", "0.4 %", "100 %"]);
    }
}
