//! The frame around a run's digest: a headline, remarks, and what was left out.

use forebay_digest::{Digest, OmittedRange};
use forebay_domain::time::Span;
use forebay_domain::{Ending, Entry, Limit, Reference, tokens};
use forebay_redact::Redactions;
use forebay_sandbox::FinishedRun;
use forebay_text::{cut, number};

use super::outside;
use crate::AppError;
use crate::next_call::NextCall;

/// Tokens reserved for the frame; the digest gets the rest of the budget.
pub(crate) const RESERVED_TOKENS: u64 = 80;

/// Returns the digest's share of a budget: all but the frame, and at least half.
pub(crate) fn room_for_digest(budget: u64) -> u64 {
    budget.saturating_sub(RESERVED_TOKENS).max(budget / 2).max(1)
}

/// Gaps that the last line lists one by one.
const MAX_LISTED_GAPS: usize = 2;

/// The outcome of a run.
pub(crate) struct Outcome<'a> {
    pub(crate) finished: &'a FinishedRun,
    /// The meaning of a nonzero exit code that is not a failure.
    pub(crate) meaning: Option<&'static str>,
    pub(crate) redactions: &'a Redactions,
    /// What isolation blocked, as far as the output shows.
    pub(crate) blocked: &'a [String],
}

impl Outcome<'_> {
    /// `exit 1 (no match)`
    fn ending(&self) -> String {
        match self.meaning {
            Some(meaning) => format!("{} ({meaning})", self.finished.ending),
            None => self.finished.ending.to_string(),
        }
    }
}

/// Renders the answer to a run within `budget` tokens.
pub(crate) fn for_run(
    digest: &Digest,
    entry: Result<&Entry, &AppError>,
    outcome: &Outcome<'_>,
    budget: u64,
) -> String {
    let mut lines = vec![head(digest, entry, outcome)];
    lines.extend(remarks(entry, outcome.finished));
    if !outcome.redactions.is_empty() {
        lines.push(outcome.redactions.to_string());
    }
    lines.extend_from_slice(outcome.blocked);
    let body = outside::marked(digest.text.trim_end_matches('\n'));
    if digest.verbatim {
        lines.extend((!body.is_empty()).then(|| body.into_owned()));
        return lines.join("\n");
    }
    let last = entry.ok().map(|entry| left_out(digest, entry.reference));
    let frame: usize = lines.iter().chain(&last).map(|line| line.len() + 1).sum();
    let bytes = tokens::to_bytes(budget);
    lines.extend(fitted(&body, bytes.saturating_sub(frame)));
    lines.extend(last);
    cut::marked(&lines.join("\n"), bytes).into_owned()
}

/// Renders the text that replaces a captured tool result.
pub(crate) fn for_capture(
    digest: &Digest,
    entry: &Entry,
    ending: Option<Ending>,
    remarks: Vec<String>,
    redactions: &Redactions,
) -> String {
    let ending = ending.map(|ending| format!("{ending} · ")).unwrap_or_default();
    let mut lines = vec![format!("{} {ending}{}", entry.reference, size(digest))];
    lines.extend(remarks);
    if !redactions.is_empty() {
        lines.push(redactions.to_string());
    }
    lines.push(outside::marked(digest.text.trim_end_matches('\n')).into_owned());
    if !digest.verbatim {
        lines.push(left_out(digest, entry.reference));
    }
    lines.join("\n")
}

/// Cuts a digest to whole lines if the remarks above leave too little room; `None` without room for the mark.
fn fitted(body: &str, room: usize) -> Option<String> {
    const CUT: &str = "… cut to fit below the remarks";
    if body.len() <= room {
        return Some(body.to_owned());
    }
    let kept = cut::prefix(body, room.checked_sub(CUT.len() + 1)?);
    let kept = kept.rfind('\n').map_or("", |end| &kept[..=end]);
    Some(format!("{kept}{CUT}"))
}

/// `[ctx:k3v9m2a1xq] exit 101 · 41 s · 9,012 lines, 61k tokens -> 190`
fn head(digest: &Digest, entry: Result<&Entry, &AppError>, outcome: &Outcome<'_>) -> String {
    let reference =
        entry.map_or_else(|_| "NOT STORED".to_owned(), |entry| entry.reference.to_string());
    let size = size(digest);
    format!("{reference} {} · {} · {size}", outcome.ending(), Span(outcome.finished.duration))
}

/// `9,012 lines, 61k tokens -> 190`
fn size(digest: &Digest) -> String {
    let lines = match digest.items {
        Some(items) => number::counted(items, "item"),
        None => number::counted(digest.lines, "line"),
    };
    if digest.bytes == 0 {
        "no output".to_owned()
    } else if digest.verbatim {
        lines
    } else {
        let raw = number::rough(tokens::estimate_bytes(digest.bytes));
        format!("{lines}, {raw} tokens -> {}", tokens::estimate(&digest.text))
    }
}

/// Lists what a reader must know besides the output.
fn remarks(entry: Result<&Entry, &AppError>, finished: &FinishedRun) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Err(error) = entry {
        let hint = error.hint.as_deref().unwrap_or_default();
        remarks.push(format!("the command ran, but its output is not stored: {error}. {hint}"));
    }
    if finished.ending == Ending::TimedOut {
        remarks.push("ended by timeout_ms; the output so far is kept".to_owned());
    }
    if let Ending::OverLimit(limit) = finished.ending {
        let setting = match limit {
            Limit::Output => "limits.output_mb",
            Limit::Processes => "limits.processes",
        };
        remarks.push(format!("ended by {setting}; the output so far is kept"));
    }
    if finished.stragglers_ended {
        remarks.push("leftover background processes were killed".to_owned());
    }
    remarks
}

/// `left out: lines 13-424, 431-9,000. ctx_get k3v9m2a1xq lines=13-424 | grep="..."`
///
/// A digest that describes the text instead of quoting parts of it summarizes all lines.
fn left_out(digest: &Digest, reference: Reference) -> String {
    let gaps = &digest.omitted;
    let Some(first) = gaps.first() else {
        let full = NextCall::new("ctx_get").on(reference.as_str());
        return format!("repeats folded, long lines cut; full: {full}");
    };
    let listed: Vec<String> = gaps.iter().take(MAX_LISTED_GAPS).map(range).collect();
    let more = match gaps.len().saturating_sub(MAX_LISTED_GAPS) {
        0 => String::new(),
        count => format!(" and {}", number::counted(count as u64, "more gap")),
    };
    let get = NextCall::new("ctx_get").on(reference.as_str());
    let get = get.with("lines", range(first)).or("grep", "...");
    let is_all = *first == OmittedRange { first: 1, last: digest.lines };
    let what = if is_all { "summarized" } else { "left out" };
    format!("{what}: lines {}{more}. {get}", listed.join(", "))
}

fn range(gap: &OmittedRange) -> String {
    if gap.first == gap.last {
        gap.first.to_string()
    } else {
        format!("{}-{}", gap.first, gap.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_budget_goes_half_to_the_digest() {
        assert_eq!([0, 1, 80, 90, 160, 1_000].map(room_for_digest), [1, 1, 40, 45, 80, 920]);
    }

    #[test]
    fn cuts_digest_at_whole_lines_and_marks_it() {
        assert_eq!(fitted("one\ntwo", 7).as_deref(), Some("one\ntwo"));
        assert_eq!(fitted("one\ntwo", 6), None);
        let body = "line\n".repeat(20);
        let short = fitted(&body, 50).unwrap_or_default();
        assert!(short.len() <= 50 && short.starts_with("line\nline\n"), "{short}");
        assert!(short.ends_with("… cut to fit below the remarks"), "{short}");
    }
}
