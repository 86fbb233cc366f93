//! How a run of tests ended, and what is known of each test that failed.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::test_runs::{TestCounts, TestRun, TestRuns};
use crate::recognizers::{Quotes, Report};

/// Failing tests beyond so many are only counted.
const MAX_FAILURES: usize = 60;

/// Of the budget, in percent, what may be said of failing tests before lines are quoted.
const FAILURES_SHARE: usize = 88;

/// So much of a reason is shown.
const MAX_REASON_BYTES: usize = 170;

/// Counts as the runner printed them, and the failing tests it named.
#[derive(Debug, Default)]
pub(crate) struct TestOutcome {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) total: Option<u64>,
    /// Further counts that the runner has a word of its own for: `2 deselected`.
    pub(crate) other_counts: Vec<(u64, &'static str)>,
    /// The runner printed a summary.
    pub(crate) has_summary: bool,
    /// How long it took, as printed.
    pub(crate) duration: Option<String>,
    /// Something failed that is no test: a file that could not be loaded.
    pub(crate) has_other_failure: bool,
    /// Runs that ended before this one.
    earlier: TestRuns,
    /// Failing tests that this run named.
    named_in_run: u64,
    section: u64,
    failures: Vec<Failure>,
    unlisted: u64,
}

/// A test that failed: where, and why.
#[derive(Debug, Default)]
struct Failure {
    name: String,
    location: String,
    reason: String,
    /// The part of the text that named it last.
    section: u64,
}

impl TestOutcome {
    /// Adds to a count that several summaries make up.
    pub(crate) fn add_count(count: &mut Option<u64>, more: Option<u64>) {
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
        (self.skipped, self.total, self.duration) = (None, None, None);
        self.other_counts.clear();
        self.section += 1;
        (self.has_summary, self.named_in_run) = (false, 0);
    }

    /// Notes that a summary starts; the second one is of another run.
    pub(crate) fn start_summary(&mut self) {
        if self.has_summary {
            self.start_run();
        }
        self.has_summary = true;
    }

    /// Notes that a part of the run starts that names its failing tests in the end.
    pub(crate) fn start_section(&mut self) {
        self.section += 1;
    }

    /// Leaves only those failing tests of this part that are listed in its end; others were printed by a test.
    pub(crate) fn retain_section_failures(&mut self, is_listed: impl Fn(&str) -> bool) {
        let section = self.section;
        self.failures.retain(|failure| failure.section != section || is_listed(&failure.name));
    }

    pub(crate) fn has_several_runs(&self) -> bool {
        self.earlier.clone().with_last(self.last_run()).count() > 1
    }

    /// Notes a test that failed, each once; what is said next is about it.
    pub(crate) fn add_failure(&mut self, name: &str) {
        let name = cut::one_line(name, 160);
        let section = self.section;
        self.named_in_run += 1;
        if let Some(known) = self.failures.iter().position(|failure| failure.is_named(&name)) {
            let mut failure = self.failures.remove(known);
            if failure.name.len() < name.len() {
                failure.name = name;
            }
            self.failures.push(Failure { section, ..failure });
        } else if self.failures.len() < MAX_FAILURES {
            self.failures.push(Failure { name, section, ..Failure::default() });
        } else {
            self.unlisted += 1;
        }
    }

    /// Names of failing tests that only a longer list tells, without losing the order.
    pub(crate) fn set_full_name(&mut self, name: &str) {
        match self.failures.iter_mut().find(|failure| failure.is_named(name)) {
            Some(failure) => name.clone_into(&mut failure.name),
            None => self.add_failure(name),
        }
    }

    /// Why the last test failed; further lines are added as long as they are short.
    pub(crate) fn add_reason(&mut self, text: &str) {
        let Some(failure) = self.failures.last_mut() else { return };
        let text = text.trim();
        if failure.repeats(text) {
            return;
        }
        if failure.reason.len() + text.len() < MAX_REASON_BYTES || failure.reason.is_empty() {
            if !failure.reason.is_empty() && !text.is_empty() {
                failure.reason.push_str(if failure.reason.ends_with(':') { " " } else { "; " });
            }
            failure.reason.push_str(&cut::one_line(text, MAX_REASON_BYTES));
        }
    }

    /// Why a named test failed, if nothing was said of it so far.
    pub(crate) fn set_reason(&mut self, name: &str, reason: &str) {
        let unexplained =
            |failure: &&mut Failure| failure.reason.is_empty() && failure.is_named(name);
        if let Some(failure) = self.failures.iter_mut().find(unexplained) {
            failure.reason = cut::one_line(reason.trim(), MAX_REASON_BYTES);
        }
    }

    /// The reason of the last test breaks off at a colon.
    pub(crate) fn reason_is_incomplete(&self) -> bool {
        self.failures.last().is_some_and(|failure| failure.reason.ends_with(':'))
    }

    /// Whether a reason is known for the last test.
    pub(crate) fn has_reason(&self) -> bool {
        self.failures.last().is_some_and(|failure| !failure.reason.is_empty())
    }

    /// Where the last test failed; the first place that is told counts.
    pub(crate) fn set_location(&mut self, location: &str) {
        if let Some(failure) =
            self.failures.last_mut().filter(|failure| failure.location.is_empty())
        {
            location.clone_into(&mut failure.location);
        }
    }

    /// Where the last test failed; the last place that is told counts.
    pub(crate) fn replace_location(&mut self, location: &str) {
        if let Some(failure) = self.failures.last_mut() {
            location.clone_into(&mut failure.location);
        }
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.counts().has_failures()
            || self.has_other_failure
            || self.earlier.had_failures()
            || (!self.has_summary && self.named_in_run > 0)
    }

    fn counts(&self) -> TestCounts {
        TestCounts {
            passed: self.passed,
            failed: self.failed,
            errors: self.errors,
            skipped: self.skipped,
            total: self.total,
            other_counts: self.other_counts.clone(),
        }
    }

    fn failure_count(&self) -> u64 {
        self.failures.len() as u64 + self.unlisted
    }

    /// Passed are those that did not fail, where the runner counts all and not them.
    pub(crate) fn derive_passed(&mut self) {
        let rest = self.failed.unwrap_or(0) + self.errors.unwrap_or(0) + self.skipped.unwrap_or(0);
        if self.passed.is_none() {
            self.passed = self.total.and_then(|total| total.checked_sub(rest));
        }
    }

    /// What the runner said; without a summary only what failed, and that it is not all.
    pub(crate) fn report(self, runner: &str, scope: &str) -> Option<Report> {
        let failing = self.has_failures();
        if !self.has_summary && self.failure_count() == 0 && self.earlier.count() == 0 {
            return None;
        }
        let summary = format!("{runner}: {}{scope}", self.summary());
        let mut report = Report::with_summary(summary, Quotes::Default).failing(failing);
        if failing {
            report.facts_share = FAILURES_SHARE;
            self.add_failure_facts(&mut report);
        }
        Some(report)
    }

    /// Names weigh more than reasons, so that all are named before one is explained.
    fn add_failure_facts(&self, report: &mut Report) {
        for (index, failure) in self.failures.iter().enumerate() {
            let location = if failure.location.is_empty() {
                String::new()
            } else {
                format!("  {}", failure.location)
            };
            report.add(90, format!("FAILED {}{location}", failure.name));
            if !failure.reason.is_empty() {
                report.add(88 - index.min(60) as u32, format!("  {}", failure.reason));
            }
        }
        if self.unlisted > 0 {
            report.add(90, format!("and {} more failing tests", grouped(self.unlisted)));
        }
    }

    fn summary(&self) -> String {
        if self.earlier.count() > 0 {
            return self.earlier.clone().with_last(self.last_run()).to_string();
        }
        if !self.has_summary {
            return format!("no summary was printed; failing tests seen: {}", self.failure_count());
        }
        let duration =
            self.duration.as_ref().map(|duration| format!(", took {duration}")).unwrap_or_default();
        format!("{}{duration}", self.counts())
    }

    /// The run at hand, if it is one: nothing may have followed the last summary.
    fn last_run(&self) -> Option<TestRun> {
        match () {
            () if self.has_summary => Some(TestRun::Completed(self.counts())),
            () if self.named_in_run > 0 => Some(TestRun::Aborted),
            () => None,
        }
    }
}

impl Failure {
    /// The same was said of an earlier try, or in a list before.
    fn repeats(&self, text: &str) -> bool {
        let ends_with_text = |section: &str| {
            section
                .strip_suffix(text)
                .is_some_and(|before| before.is_empty() || before.ends_with(": "))
        };
        let is_repeat = |section: &str| {
            ends_with_text(section) || text.ends_with(':') && section.starts_with(text)
        };
        self.reason.split("; ").any(is_repeat)
    }

    /// One name may be the end of the other: a test with and without its file.
    fn is_named(&self, name: &str) -> bool {
        self.name == name || ends_with_name(&self.name, name) || ends_with_name(name, &self.name)
    }
}

fn ends_with_name(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|before| before.ends_with([':', '.', ' ', '>']) && !short.is_empty())
}
