//! Tells what changed since an earlier run.

use forebay_digest::{Budget, Digest, LineChange, Lines, Sameness, TestChange};
use forebay_domain::tokens;
use forebay_text::cut;
use forebay_text::number::counted;

use super::outside;
use crate::earlier_runs::Difference;

/// The share of an answer's budget for a difference, as a fraction.
const SHARE: (u64, u64) = (1, 4);
/// Names of tests in one list.
const MAX_NAMES: usize = 6;
/// Lines whose times differ that are quoted below "unchanged".
const MAX_VOLATILE_LINES: usize = 2;
/// Maximum bytes of a name.
const MAX_NAME_BYTES: usize = 100;

/// A digest, and what is stated beside it about an earlier run.
pub(crate) struct ComparedDigest {
    pub(crate) digest: Digest,
    /// Stands above the digest: the model has the earlier answer.
    pub(crate) above: Option<String>,
    /// Stands below the digest, which is complete without it.
    pub(crate) below: Option<String>,
    /// Says that the model has this output, in place of everything else.
    pub(crate) unchanged: Option<String>,
}

impl ComparedDigest {
    /// A digest that is compared with nothing.
    pub(crate) fn alone(digest: Digest) -> Self {
        Self { digest, above: None, below: None, unchanged: None }
    }

    /// Tells a difference, and digests again within what it leaves of the budget.
    pub(crate) fn new(
        digest: Digest,
        difference: Option<&Difference>,
        budget: Budget,
        digest_again: impl FnOnce(Budget, &[u8]) -> Digest,
    ) -> Self {
        let alone = Self::alone(digest);
        let Some(difference) = difference else { return alone };
        let unchanged = difference.is_unchanged().then(|| unchanged(difference));
        let alone = Self { unchanged, ..alone };
        let max_bytes = tokens::to_bytes(budget.digest * SHARE.0 / SHARE.1);
        let Some(text) = text(difference, max_bytes) else { return alone };
        let tokens = tokens::estimate(&text) + 1;
        if !alone.digest.verbatim {
            let rest = Budget { digest: budget.digest - tokens.min(budget.digest / 2), ..budget };
            return Self { digest: digest_again(rest, &difference.output), ..alone }
                .beside(text, difference.earlier.is_in_context);
        }
        let used = tokens::estimate(&alone.digest.text) + tokens;
        if used > budget.verbatim.max(budget.digest) {
            return alone;
        }
        alone.beside(text, difference.earlier.is_in_context)
    }

    /// Puts a text above a digest that relies on it, or below one that stands alone.
    fn beside(self, text: String, is_in_context: bool) -> Self {
        let (above, below) = if is_in_context { (Some(text), None) } else { (None, Some(text)) };
        Self { above, below, ..self }
    }

    /// Leaves nothing out, even if the model has it.
    pub(crate) fn whole(self) -> Self {
        Self { unchanged: None, ..self }
    }
}

/// Returns the short answer if it saves more than half of the whole one.
pub(crate) fn shorter(whole: String, short: Option<String>) -> String {
    short.filter(|short| 2 * short.len() <= whole.len()).unwrap_or(whole)
}

/// Returns what is stated about a difference, if anything. A model that has not seen the earlier run need not know that
/// this one is the same: its answer has the same bytes then, as prompt caches like it.
fn text(difference: &Difference, max_bytes: usize) -> Option<String> {
    let summary = summary(difference)?;
    let earlier = earlier(difference);
    if difference.earlier.is_in_context {
        return Some(with_lines(&format!("since {earlier}: {summary}"), difference, max_bytes));
    }
    let below = || cut::one_line(&format!("earlier run {earlier}: {summary}"), max_bytes);
    (!difference.is_same_result()).then(below)
}

/// Says that the output is that of an earlier run, with the lines whose times or the like differ.
fn unchanged(difference: &Difference) -> String {
    let LineChange { sameness, added, lines, .. } = &difference.comparison.lines;
    let except = match sameness {
        Sameness::Identical => "",
        _ => " but for times, addresses or the like",
    };
    let lines = counted(*lines, "line");
    let mut text = format!("unchanged{except} since {} ({lines})", difference.earlier.reference);
    text.push_str(&last_success(difference));
    for line in added.quoted.iter().take(MAX_VOLATILE_LINES) {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}

/// `[ctx:k3v9m2a1xq] (exit 0)`
fn earlier(difference: &Difference) -> String {
    let run = &difference.earlier;
    let other = if difference.is_same_command { "" } else { ", other arguments" };
    let ending = match (run.ending.as_str(), run.failed) {
        ("", false) => "not failed",
        ("", true) => "failed",
        (ending, _) => ending,
    };
    format!("{} ({ending}{other})", run.reference)
}

/// Returns what changed in one line; nothing if the outputs have little in common.
fn summary(difference: &Difference) -> Option<String> {
    let comparison = &difference.comparison;
    let summary = match &comparison.tests {
        Some(change) if change.is_empty() => "same test results".to_owned(),
        Some(change) => test_summary(change),
        None if !difference.is_same_command => return None,
        None => match line_summary(&comparison.lines) {
            Some(summary) => summary,
            None if difference.has_same_ending => return None,
            None => "other output".to_owned(),
        },
    };
    Some(summary + &last_success(difference))
}

fn last_success(difference: &Difference) -> String {
    difference.last_success.map(|run| format!("; last success {run}")).unwrap_or_default()
}

fn test_summary(change: &TestChange) -> String {
    let lists = [
        ("new failures", &change.new_failures),
        ("pass now", &change.fixed),
        ("skipped now", &change.skipped),
        ("failed, now not reported (fixed, removed or not run)", &change.not_reported),
    ];
    let mut parts: Vec<String> = lists
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {}", listed(names)))
        .collect();
    if !change.still_failing.is_empty() {
        parts.push(format!("{} still failing", change.still_failing.len()));
    }
    let counts = change.counts.iter().map(|(word, old, new)| format!("{word} {old} -> {new}"));
    parts.extend(counts);
    parts.join("; ")
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(MAX_NAMES).map(|name| cut::one_line(name, MAX_NAME_BYTES)).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn line_summary(change: &LineChange) -> Option<String> {
    let LineChange { sameness, added, removed, lines } = change;
    match sameness {
        Sameness::Identical => Some("same output".to_owned()),
        Sameness::ExceptVolatile => Some("same output but for times or the like".to_owned()),
        Sameness::Reordered => Some("same lines in another order".to_owned()),
        // Most of it is another text: a list of differences would tell nothing.
        Sameness::Different if added.count.max(removed.count) * 2 > *lines => None,
        Sameness::Different => Some(format!(
            "{} new, {} gone",
            counted(added.count, "line"),
            counted(removed.count, "line")
        )),
    }
}

/// Adds new and removed lines while they fit.
fn with_lines(head: &str, difference: &Difference, max_bytes: usize) -> String {
    let mut text = cut::one_line(head, max_bytes);
    let LineChange { sameness, added, removed, .. } = &difference.comparison.lines;
    if *sameness != Sameness::Different || difference.comparison.tests.is_some() {
        return text;
    }
    let marked = |mark: &'static str, lines: &Lines| -> Vec<String> {
        lines.quoted.iter().map(|line| format!("{mark} {}", outside::marked(line))).collect()
    };
    for line in marked("+", added).into_iter().chain(marked("-", removed)) {
        if text.len() + 1 + line.len() > max_bytes {
            break;
        }
        text.push('\n');
        text.push_str(&line);
    }
    text
}
