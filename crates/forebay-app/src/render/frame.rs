//! The frame around a run's digest: a headline, remarks, and what was left out.

use forebay_digest::{Digest, OmittedRange};
use forebay_domain::time::Span;
use forebay_domain::{Ending, Entry, Limit, Reference, tokens};
use forebay_redact::Redactions;
use forebay_sandbox::FinishedRun;
use forebay_text::{cut, number};

use super::difference::{self, ComparedDigest};
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

    /// Lists what a reader must know besides the output.
    fn remarks(&self, entry: Result<&Entry, &AppError>) -> Vec<String> {
        let mut lines = remarks(entry, self.finished);
        lines.extend((!self.redactions.is_empty()).then(|| self.redactions.to_string()));
        lines.extend_from_slice(self.blocked);
        lines
    }
}

/// Renders the answer to a run within `budget` tokens.
pub(crate) fn for_run(
    compared: &ComparedDigest,
    entry: Result<&Entry, &AppError>,
    outcome: &Outcome<'_>,
    budget: u64,
) -> String {
    let frame = |size: &str| {
        let mut lines = vec![head(entry, outcome, size)];
        lines.extend(outcome.remarks(entry));
        lines
    };
    let short = compared.unchanged.as_ref().map(|unchanged| frame(unchanged).join("\n"));
    let lines = frame(&size(&compared.digest));
    let whole = if compared.digest.verbatim {
        around(lines, compared, None)
    } else {
        within(lines, compared, entry.ok(), tokens::to_bytes(budget))
    };
    difference::shorter(whole, short)
}

/// Puts the digest and what is stated beside it between its first and last lines.
fn around(mut lines: Vec<String>, compared: &ComparedDigest, last: Option<String>) -> String {
    let body = outside::marked(compared.digest.text.trim_end_matches('\n'));
    lines.extend(compared.above.clone());
    lines.extend((!body.is_empty()).then(|| body.into_owned()));
    lines.extend(compared.below.clone());
    lines.extend(last);
    lines.join("\n")
}

/// Like [`around`], in at most `bytes` bytes: the digest makes room for the other lines.
fn within(
    mut lines: Vec<String>,
    compared: &ComparedDigest,
    entry: Option<&Entry>,
    bytes: usize,
) -> String {
    let body = outside::marked(compared.digest.text.trim_end_matches('\n'));
    let left_out = entry.map(|entry| left_out(&compared.digest, entry.reference));
    let last: Vec<String> = compared.below.iter().cloned().chain(left_out).collect();
    lines.extend(compared.above.clone());
    let frame: usize = lines.iter().chain(&last).map(|line| line.len() + 1).sum();
    lines.extend(fitted(&body, bytes.saturating_sub(frame)));
    lines.extend(last);
    cut::marked(&lines.join("\n"), bytes).into_owned()
}

/// A tool result that is stored.
pub(crate) struct CaptureFrame<'a> {
    pub(crate) reference: Reference,
    pub(crate) ending: Option<Ending>,
    pub(crate) remarks: Vec<String>,
    pub(crate) redactions: &'a Redactions,
}

impl CaptureFrame<'_> {
    /// Renders the text that replaces the result.
    pub(crate) fn around(&self, compared: &ComparedDigest) -> String {
        let left_out = || left_out(&compared.digest, self.reference);
        let last = (!compared.digest.verbatim).then(left_out);
        let whole = around(self.head(&size(&compared.digest)), compared, last);
        let short = compared.unchanged.as_ref().map(|unchanged| self.head(unchanged).join("\n"));
        difference::shorter(whole, short)
    }

    fn head(&self, size: &str) -> Vec<String> {
        let ending = self.ending.map(|ending| format!("{ending} · ")).unwrap_or_default();
        let mut lines = vec![format!("{} {ending}{size}", self.reference)];
        lines.extend(self.remarks.iter().cloned());
        lines.extend((!self.redactions.is_empty()).then(|| self.redactions.to_string()));
        lines
    }
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
fn head(entry: Result<&Entry, &AppError>, outcome: &Outcome<'_>, size: &str) -> String {
    let reference =
        entry.map_or_else(|_| "NOT STORED".to_owned(), |entry| entry.reference.to_string());
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

/// Says what went wrong around the run itself.
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
        return format!("lines folded or cut; full: {full}");
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
    use std::time::Duration;

    use forebay_domain::run::Spans;

    use super::*;

    #[test]
    fn small_budget_goes_half_to_the_digest() {
        assert_eq!([0, 1, 80, 90, 160, 1_000].map(room_for_digest), [1, 1, 40, 45, 80, 920]);
    }

    /// What is printed beside the output is in the table of what a line from outside must not start with.
    #[test]
    fn every_line_of_the_frame_is_marked_in_text_from_outside() {
        let redactor = forebay_redact::Redactor::with_values(std::iter::empty::<(&str, &str)>());
        let (_, redactions) = redactor.redact(b"AKIAIOSFODNN7EXAMPLE password=hunter2hunter2");
        assert!(!redactions.is_empty());
        let endings = [
            Ending::Exited(0),
            Ending::TimedOut,
            Ending::OverLimit(Limit::Output),
            Ending::OverLimit(Limit::Processes),
        ];
        let lost = AppError::unavailable("the disk is full", Some("make room"));
        for ending in endings {
            let finished = FinishedRun {
                ending,
                duration: Duration::ZERO,
                spans: Spans::default(),
                stragglers_ended: true,
                set_aside: Vec::new(),
                changed: Vec::new(),
            };
            let outcome = Outcome {
                finished: &finished,
                meaning: None,
                redactions: &redactions,
                blocked: &[],
            };
            let lines = [head(Err(&lost), &outcome, "1 line")];
            for line in lines.into_iter().chain(outcome.remarks(Err(&lost))) {
                assert!(outside::reads_as_own(&line), "{line}");
            }
        }
        assert!(outside::reads_as_own(super::super::describe::EXTERNAL_CONTENT));
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
