//! How a run of tests ended, and what is known of each test that failed.

use forebay_domain::text::cut;
use forebay_domain::text::number::grouped;

use crate::recognizers::{Quotes, Report};

/// Failing tests beyond so many are only counted.
const HELD: usize = 60;

/// Of the budget, in percent, what may be said of failing tests before lines are quoted.
const SHARE: usize = 88;

/// So much of a reason is shown.
const REASON_BYTES: usize = 170;

/// Counts as the runner printed them, and the failing tests it named.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) total: Option<u64>,
    /// The runner printed a summary.
    pub(crate) said: bool,
    /// How long it took, as printed.
    pub(crate) took: Option<String>,
    failures: Vec<Failure>,
    more: u64,
}

/// A test that failed: where, and why.
#[derive(Debug, Default)]
struct Failure {
    name: String,
    place: String,
    reason: String,
}

impl Outcome {
    /// Adds to a count that several summaries make up.
    pub(crate) fn add(count: &mut Option<u64>, more: Option<u64>) {
        if let Some(more) = more {
            *count = Some(count.unwrap_or(0) + more);
        }
    }

    /// Notes a test that failed, each once; what is said next is about it.
    pub(crate) fn fail(&mut self, name: &str) {
        let name = cut::one_line(name, 160);
        if let Some(known) = self.failures.iter().position(|failure| failure.is(&name)) {
            let mut failure = self.failures.remove(known);
            if failure.name.len() < name.len() {
                failure.name = name;
            }
            self.failures.push(failure);
        } else if self.failures.len() < HELD {
            self.failures.push(Failure { name, ..Failure::default() });
        } else {
            self.more += 1;
        }
    }

    /// Names of failing tests that only a longer list tells, without losing the order.
    pub(crate) fn rename(&mut self, name: &str) {
        match self.failures.iter_mut().find(|failure| failure.is(name)) {
            Some(failure) => name.clone_into(&mut failure.name),
            None => self.fail(name),
        }
    }

    /// Why the last test failed; further lines are added as long as they are short.
    pub(crate) fn because(&mut self, text: &str) {
        let Some(failure) = self.failures.last_mut() else { return };
        let text = text.trim();
        if failure.reason.len() + text.len() < REASON_BYTES || failure.reason.is_empty() {
            if !failure.reason.is_empty() && !text.is_empty() {
                failure.reason.push_str(if failure.reason.ends_with(':') { " " } else { "; " });
            }
            failure.reason.push_str(&cut::one_line(text, REASON_BYTES));
        }
    }

    /// The reason of the last test breaks off at a colon.
    pub(crate) fn awaits_more(&self) -> bool {
        self.failures.last().is_some_and(|failure| failure.reason.ends_with(':'))
    }

    /// Whether a reason is known for the last test.
    pub(crate) fn is_explained(&self) -> bool {
        self.failures.last().is_some_and(|failure| !failure.reason.is_empty())
    }

    /// Where the last test failed; the first place that is told counts.
    pub(crate) fn at(&mut self, place: &str) {
        if let Some(failure) = self.failures.last_mut().filter(|failure| failure.place.is_empty()) {
            place.clone_into(&mut failure.place);
        }
    }

    /// Where the last test failed; the last place that is told counts.
    pub(crate) fn finally_at(&mut self, place: &str) {
        if let Some(failure) = self.failures.last_mut() {
            place.clone_into(&mut failure.place);
        }
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.failed.unwrap_or(0) + self.errors.unwrap_or(0) > 0 || (!self.said && self.named() > 0)
    }

    fn named(&self) -> u64 {
        self.failures.len() as u64 + self.more
    }

    /// Passed are those that did not fail, where the runner counts all and not them.
    pub(crate) fn work_out_passed(&mut self) {
        let rest = self.failed.unwrap_or(0) + self.errors.unwrap_or(0) + self.skipped.unwrap_or(0);
        if self.passed.is_none() {
            self.passed = self.total.and_then(|total| total.checked_sub(rest));
        }
    }

    /// What the runner said; without a summary only what failed, and that it is not all.
    pub(crate) fn report(self, runner: &str, scope: &str) -> Option<Report> {
        let failing = self.has_failures();
        if !self.said && self.named() == 0 {
            return None;
        }
        let summary = if self.said {
            format!("{runner}: {}{scope}", self.counts())
        } else {
            format!("{runner}: no summary was printed; failing tests seen: {}", self.named())
        };
        let mut report = Report::of(summary, Quotes::Usual).failing(failing);
        if failing {
            report.share = SHARE;
            self.tell_failures(&mut report);
        }
        Some(report)
    }

    /// Names weigh more than reasons, so that all are named before one is explained.
    fn tell_failures(&self, report: &mut Report) {
        for (index, failure) in self.failures.iter().enumerate() {
            let place = if failure.place.is_empty() {
                String::new()
            } else {
                format!("  {}", failure.place)
            };
            report.add(90, format!("FAILED {}{place}", failure.name));
            if !failure.reason.is_empty() {
                report.add(88 - index.min(60) as u32, format!("  {}", failure.reason));
            }
        }
        if self.more > 0 {
            report.add(90, format!("and {} more failing tests", grouped(self.more)));
        }
    }

    fn counts(&self) -> String {
        let known = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.errors, if self.errors == Some(1) { "error" } else { "errors" }),
            (self.skipped, "skipped"),
            (self.total, if self.total == Some(1) { "test" } else { "tests" }),
        ];
        let mut said: Vec<String> = known
            .into_iter()
            // All that ran have passed: their number stands there already.
            .filter(|(count, word)| !word.starts_with("test") || *count != self.passed)
            .filter(|(count, word)| *count != Some(0) || matches!(*word, "passed" | "failed"))
            .filter_map(|(count, word)| Some(format!("{} {word}", grouped(count?))))
            .collect();
        said.extend(self.took.as_ref().map(|took| format!("took {took}")));
        said.join(", ")
    }
}

impl Failure {
    /// One name may be the end of the other: a test with and without its file.
    fn is(&self, name: &str) -> bool {
        self.name == name || ends_in(&self.name, name) || ends_in(name, &self.name)
    }
}

fn ends_in(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|before| before.ends_with([':', '.', ' ', '>']) && !short.is_empty())
}
