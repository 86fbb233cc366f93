//! How a run of tests ended, and what is known of each test that failed.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::runs::{Counts, Run, Runs};
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
    /// Further counts that the runner has a word of its own for: `2 deselected`.
    pub(crate) further: Vec<(u64, &'static str)>,
    /// The runner printed a summary.
    pub(crate) said: bool,
    /// How long it took, as printed.
    pub(crate) took: Option<String>,
    /// Something failed that is no test: a file that could not be loaded.
    pub(crate) broken: bool,
    /// Runs that ended before this one.
    earlier: Runs,
    /// Failing tests that this run named.
    named_in_run: u64,
    part: u64,
    failures: Vec<Failure>,
    more: u64,
}

/// A test that failed: where, and why.
#[derive(Debug, Default)]
struct Failure {
    name: String,
    place: String,
    reason: String,
    /// The part of the text that named it last.
    part: u64,
}

impl Outcome {
    /// Adds to a count that several summaries make up.
    pub(crate) fn add(count: &mut Option<u64>, more: Option<u64>) {
        if let Some(more) = more {
            *count = Some(count.unwrap_or(0) + more);
        }
    }

    /// Notes that a run starts: what was said before is about another one.
    pub(crate) fn start_run(&mut self) {
        if let Some(run) = self.last_run() {
            self.earlier.add(run);
        }
        (self.passed, self.failed, self.errors) = (None, None, None);
        (self.skipped, self.total, self.took) = (None, None, None);
        self.further.clear();
        self.part += 1;
        (self.said, self.named_in_run) = (false, 0);
    }

    /// Notes that a summary starts; the second one is of another run.
    pub(crate) fn sum_up(&mut self) {
        if self.said {
            self.start_run();
        }
        self.said = true;
    }

    /// Notes that a part of the run starts that names its failing tests in the end.
    pub(crate) fn start_part(&mut self) {
        self.part += 1;
    }

    /// Leaves only those failing tests of this part that are listed in its end; others were printed by a test.
    pub(crate) fn keep_failures_of_part(&mut self, is_listed: impl Fn(&str) -> bool) {
        let part = self.part;
        self.failures.retain(|failure| failure.part != part || is_listed(&failure.name));
    }

    pub(crate) fn has_several_runs(&self) -> bool {
        self.earlier.clone().ending_with(self.last_run()).count() > 1
    }

    /// Notes a test that failed, each once; what is said next is about it.
    pub(crate) fn fail(&mut self, name: &str) {
        let name = cut::one_line(name, 160);
        let part = self.part;
        self.named_in_run += 1;
        if let Some(known) = self.failures.iter().position(|failure| failure.is(&name)) {
            let mut failure = self.failures.remove(known);
            if failure.name.len() < name.len() {
                failure.name = name;
            }
            self.failures.push(Failure { part, ..failure });
        } else if self.failures.len() < HELD {
            self.failures.push(Failure { name, part, ..Failure::default() });
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
        if failure.said_before(text) {
            return;
        }
        if failure.reason.len() + text.len() < REASON_BYTES || failure.reason.is_empty() {
            if !failure.reason.is_empty() && !text.is_empty() {
                failure.reason.push_str(if failure.reason.ends_with(':') { " " } else { "; " });
            }
            failure.reason.push_str(&cut::one_line(text, REASON_BYTES));
        }
    }

    /// Why a named test failed, if nothing was said of it so far.
    pub(crate) fn explain(&mut self, name: &str, reason: &str) {
        let unexplained = |failure: &&mut Failure| failure.reason.is_empty() && failure.is(name);
        if let Some(failure) = self.failures.iter_mut().find(unexplained) {
            failure.reason = cut::one_line(reason.trim(), REASON_BYTES);
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
        self.counts().tell_of_failures()
            || self.broken
            || self.earlier.had_failures()
            || (!self.said && self.named_in_run > 0)
    }

    fn counts(&self) -> Counts {
        Counts {
            passed: self.passed,
            failed: self.failed,
            errors: self.errors,
            skipped: self.skipped,
            total: self.total,
            further: self.further.clone(),
        }
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
        if !self.said && self.named() == 0 && self.earlier.count() == 0 {
            return None;
        }
        let summary = format!("{runner}: {}{scope}", self.summary());
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

    fn summary(&self) -> String {
        if self.earlier.count() > 0 {
            return self.earlier.clone().ending_with(self.last_run()).to_string();
        }
        if !self.said {
            return format!("no summary was printed; failing tests seen: {}", self.named());
        }
        let took = self.took.as_ref().map(|took| format!(", took {took}")).unwrap_or_default();
        format!("{}{took}", self.counts())
    }

    /// The run at hand, if it is one: nothing may have followed the last summary.
    fn last_run(&self) -> Option<Run> {
        match () {
            () if self.said => Some(Run::SummedUp(self.counts())),
            () if self.named_in_run > 0 => Some(Run::BrokenOff),
            () => None,
        }
    }
}

impl Failure {
    /// The same was said of an earlier try, or in a list before.
    fn said_before(&self, text: &str) -> bool {
        let ends_in_it = |part: &str| {
            part.strip_suffix(text)
                .is_some_and(|before| before.is_empty() || before.ends_with(": "))
        };
        let is_it = |part: &str| ends_in_it(part) || text.ends_with(':') && part.starts_with(text);
        self.reason.split("; ").any(is_it)
    }

    /// One name may be the end of the other: a test with and without its file.
    fn is(&self, name: &str) -> bool {
        self.name == name || ends_in(&self.name, name) || ends_in(name, &self.name)
    }
}

fn ends_in(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|before| before.ends_with([':', '.', ' ', '>']) && !short.is_empty())
}
