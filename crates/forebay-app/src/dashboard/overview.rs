//! What was saved and spent over time and by tool, in tokens and money, what digests are worth, and what is stored.
//!
//! A part of the overview is one function that returns data: another part is one more field of it.

use std::collections::BTreeMap;
use std::time::Duration;

use forebay_domain::Timestamp;
use forebay_domain::usage::{TERMINAL_SESSION, Totals};
use serde_json::{Value, json};

use super::shown;
use crate::tools::stats;
use crate::{App, AppError};

/// Periods of a chart.
const MAX_PERIODS: u64 = 400;
const MIN_PERIOD: Duration = Duration::from_mins(1);

/// The time that an overview is about, in periods of equal length.
#[derive(Debug, Clone, Copy)]
pub struct OverviewSpan {
    pub from: Timestamp,
    pub period: Duration,
    pub periods: u64,
}

/// Returns usage in a span, what was billed and saved in it, what its digests were worth, and the size of the store.
pub fn overview(app: &App, span: OverviewSpan) -> Result<Value, AppError> {
    check(span)?;
    let mut report = stats::report(app, Some(span.from))?.data;
    Ok(shown::data(json!({
        "project": app.root().file_name().map(|name| name.to_string_lossy()),
        "usage": usage(app, span)?,
        "account": report["project"].take(),
        "digests": report["digests"].take(),
        "store": report["store"].take(),
    })))
}

/// Returns what was stored in each period of a span, of what is still there. It reads all entries of the span.
pub fn growth(app: &App, span: OverviewSpan) -> Result<Value, AppError> {
    check(span)?;
    let mut periods: Vec<Value> = (0..span.periods)
        .map(|index| json!({ "start": start(span, index), "entries": 0, "raw_bytes": 0 }))
        .collect();
    for one in app.stores.own()?.growth(span.from, span.period)? {
        let Some(period) = periods.get_mut(one.period as usize) else { continue };
        period["entries"] = json!(one.entries);
        period["raw_bytes"] = json!(one.raw_bytes);
    }
    Ok(json!({ "periods": periods }))
}

/// When a period begins.
fn start(span: OverviewSpan, index: u64) -> i64 {
    span.from.plus(span.period * index as u32).0
}

fn check(span: OverviewSpan) -> Result<(), AppError> {
    if span.period >= MIN_PERIOD && (1..=MAX_PERIODS).contains(&span.periods) {
        return Ok(());
    }
    Err(AppError::bad_input(
        "no such span",
        format!("1 to {MAX_PERIODS} periods of a minute or more"),
    ))
}

/// What tools saved and cost in a period.
#[derive(Debug, Clone, Copy, Default)]
struct Period {
    totals: Totals,
    /// Tokens saved by the tools that saved any, and those that the others cost.
    gained: u64,
    spent: u64,
}

impl Period {
    fn add(&mut self, tool: Totals) {
        self.totals.add(tool);
        let saved = tool.saved();
        let side = if saved < 0 { &mut self.spent } else { &mut self.gained };
        *side += saved.unsigned_abs();
    }
}

/// Tokens by period and by tool; commands at a terminal are no conversation and not counted.
fn usage(app: &App, span: OverviewSpan) -> Result<Value, AppError> {
    let rows = app.stores.own()?.usage_by_period(span.from, span.period, TERMINAL_SESSION)?;
    let mut periods = vec![Period::default(); span.periods as usize];
    let mut tools: BTreeMap<String, Totals> = BTreeMap::new();
    for row in rows {
        let Some(period) = periods.get_mut(row.period as usize) else { continue };
        period.add(row.totals);
        tools.entry(row.tool).or_default().add(row.totals);
    }
    let tools: Vec<Value> = tools
        .into_iter()
        .map(|(tool, totals)| {
            let mut data = numbers(totals);
            data["tool"] = json!(tool);
            data
        })
        .collect();
    let periods: Vec<Value> = periods
        .into_iter()
        .enumerate()
        .map(|(index, period)| {
            let mut data = numbers(period.totals);
            data["gained_tokens"] = json!(period.gained);
            data["spent_tokens"] = json!(period.spent);
            data["start"] = json!(start(span, index as u64));
            data
        })
        .collect();
    Ok(json!({ "periods": periods, "tools": tools }))
}

fn numbers(totals: Totals) -> Value {
    json!({
        "answers": totals.answers,
        "host_tokens": totals.host_tokens,
        "delivered_tokens": totals.delivered_tokens,
        "saved_tokens": totals.saved(),
    })
}
