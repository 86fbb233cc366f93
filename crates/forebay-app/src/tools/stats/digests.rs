//! What digests were worth, by recognizer and by tool, and the comparison with results that were held out, as text.

use std::collections::BTreeMap;

use forebay_text::{cut, number};

use super::render::signed_rounded;
use crate::ledger::holdout::{Compared, Comparison};
use crate::ledger::verdicts::Verdict;
use crate::ledger::{Evidence, MIN_VALUES, SwitchOff};

/// What the headings of the tables start with.
pub const DIGESTS_HEADING: &str = "digests";
pub const HOLDOUT_HEADING: &str = "held out";

const NAME_WIDTH: usize = 22;

/// Nothing if no result was ever replaced or held out; begins with a line break otherwise.
pub(super) fn text(evidence: &Evidence) -> String {
    let mut lines = Vec::new();
    if !evidence.recognizers.is_empty() {
        lines.push(format!(
            "{DIGESTS_HEADING:<NAME_WIDTH$}{:>6}{:>11}{:>9}{:>10}{:>11}{:>10}",
            "uses", "removed", "re-read", "repeated", "net", "in money"
        ));
        let is_off = |name: &str| evidence.switch_off(name).is_some();
        lines.extend(rows("by recognizer", &evidence.recognizers, is_off));
        lines.extend(rows("by tool", &evidence.tools, |_| false));
    }
    lines.extend(switched_off(evidence));
    lines.extend(evidence.comparison.iter().flat_map(|comparison| holdout(evidence, comparison)));
    lines.iter().map(|line| format!("\n{line}")).collect()
}

/// The rows of a table, those with the most tokens removed first.
fn rows(
    heading: &str,
    verdicts: &BTreeMap<String, Verdict>,
    is_off: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut sorted: Vec<(&String, &Verdict)> = verdicts.iter().collect();
    sorted.sort_by_key(|(_, verdict)| -verdict.removed_tokens());
    let rows = sorted.into_iter().map(|(name, verdict)| row(name, is_off(name), verdict));
    std::iter::once(heading.to_owned()).chain(rows).collect()
}

fn row(name: &str, is_off: bool, verdict: &Verdict) -> String {
    let state = if is_off { " (raw now)" } else { "" };
    let name = format!("  {}{state}", cut::one_line(name, NAME_WIDTH - 3 - state.len()));
    let (net, money) = match verdict.billed_uses {
        0 => ("unknown".to_owned(), "unknown".to_owned()),
        _ => (
            signed_rounded(verdict.net.tokens),
            verdict.net.money.map_or_else(|| "unknown".to_owned(), |money| money.to_string()),
        ),
    };
    format!(
        "{name:<NAME_WIDTH$}{:>6}{:>11}{:>9}{:>10}{net:>11}{money:>10}",
        number::grouped(verdict.uses),
        signed_rounded(verdict.removed_tokens()),
        percent(verdict.reread_rate()),
        percent(verdict.repeat_rate()),
    )
}

fn switched_off(evidence: &Evidence) -> Vec<String> {
    let line = |off: &SwitchOff| {
        format!(
            "{}: raw since {} digests had cost {} tokens more than they saved",
            off.recognizer,
            number::grouped(off.uses),
            number::grouped(off.net_tokens.unsigned_abs()),
        )
    };
    evidence.switched_off.iter().map(line).collect()
}

/// The comparison, or how much is missing for one.
fn holdout(evidence: &Evidence, comparison: &Comparison) -> Vec<String> {
    let share = if evidence.share > 0.0 {
        format!("{} of long results pass raw", percent(Some(evidence.share)))
    } else {
        "off now".to_owned()
    };
    let mut lines = vec![format!(
        "holdout: {share}; so far {} and {} raw",
        number::counted(comparison.digests, "digest"),
        number::grouped(comparison.held_out),
    )];
    let sessions = comparison.measures.iter().map(|one| one.sessions).max().unwrap_or(0);
    if sessions < MIN_VALUES {
        lines.push(format!(
            "holdout: not enough data: {} of the {MIN_VALUES} that it takes have results of both kinds",
            number::counted(sessions as u64, "session"),
        ));
        return lines;
    }
    lines.push(format!(
        "{HOLDOUT_HEADING:<NAME_WIDTH$}{:>11}{:>11}  digests differ by (95 % interval)",
        "digest", "raw"
    ));
    lines.extend(comparison.measures.iter().map(compared));
    lines
}

fn compared(one: &Compared) -> String {
    let shown = |value| one.measure.value_text(value);
    let difference = match one.difference {
        None => format!("not enough data: {}", number::counted(one.sessions as u64, "session")),
        Some(interval) => {
            let certain = if interval.contains_zero() { ", maybe none" } else { "" };
            let (low, high) = (shown(interval.low), shown(interval.high));
            format!("{} ({low} to {high}){certain}", shown(interval.mean))
        }
    };
    let name = format!("  {}", one.measure.name());
    format!("{name:<NAME_WIDTH$}{:>11}{:>11}  {difference}", shown(one.digest), shown(one.held_out))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0))
}
