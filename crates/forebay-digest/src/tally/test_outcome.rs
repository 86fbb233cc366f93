//! Outcome of a test run, with details of each failing test.

use forebay_text::cut;

use super::test_runs::{TestCounts, TestRun, TestRuns};
use crate::recognizers::{Quotes, Report};

/// Maximum number of failing tests listed.
const MAX_FAILURES: usize = 60;

/// Percentage of the budget for failing tests before lines are quoted.
const FAILURES_SHARE: usize = 88;

/// Maximum bytes of a reason.
const MAX_REASON_BYTES: usize = 170;

/// Counts printed by a test runner, and its failing tests.
#[derive(Debug, Default)]
pub(crate) struct TestOutcome {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) total: Option<u64>,
    /// Counts with a word specific to the runner: `2 deselected`.
    pub(crate) other_counts: Vec<(u64, &'static str)>,
    /// True if the runner printed a summary.
    pub(crate) has_summary: bool,
    /// Duration, as printed.
    pub(crate) duration: Option<String>,
    /// Something other than a test failed, such as a file that could not be loaded.
    pub(crate) has_other_failure: bool,
    /// Runs before this one.
    earlier: TestRuns,
    /// Number of failing tests named in this run.
    named_in_run: u64,
    section: u64,
    failures: Vec<Failure>,
    unlisted: u64,
}

/// What a runner says of one run of its tests, to compare it with another run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestFacts {
    pub(crate) runner: String,
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) skipped: Option<u64>,
    /// Names of failing tests.
    pub(crate) failing: Vec<String>,
    /// True if the run ended with a summary and every failing test is named.
    pub(crate) is_complete: bool,
}

/// A failing test, with location and reason.
#[derive(Debug, Default)]
struct Failure {
    name: String,
    location: String,
    reason: String,
    /// The section of the output that last named it.
    section: u64,
}

impl TestOutcome {
    /// Adds to a count that is the sum of several summaries.
    pub(crate) fn add_count(count: &mut Option<u64>, more: Option<u64>) {
        if let Some(more) = more {
            *count = Some(count.unwrap_or(0).saturating_add(more));
        }
    }

    /// Starts a new run; counts so far belong to an earlier one.
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

    /// Starts a summary; a second one belongs to another run.
    pub(crate) fn start_summary(&mut self) {
        if self.has_summary {
            self.start_run();
        }
        self.has_summary = true;
    }

    /// Starts a section that lists its failing tests at the end.
    pub(crate) fn start_section(&mut self) {
        self.section += 1;
    }

    /// Drops failing tests of this section that its list does not contain, because a test printed
    /// them.
    pub(crate) fn retain_section_failures(&mut self, is_listed: impl Fn(&str) -> bool) {
        let section = self.section;
        self.failures.retain(|failure| failure.section != section || is_listed(&failure.name));
    }

    pub(crate) fn has_several_runs(&self) -> bool {
        self.earlier.clone().with_last(self.last_run()).count() > 1
    }

    /// Adds a failing test once; following details belong to it.
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

    /// Replaces a name by the longer form from a summary, keeping the order.
    pub(crate) fn set_full_name(&mut self, name: &str) {
        match self.failures.iter_mut().find(|failure| failure.is_named(name)) {
            Some(failure) => name.clone_into(&mut failure.name),
            None => self.add_failure(name),
        }
    }

    /// Appends to the reason of the last failure while it is short.
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

    /// Sets the reason of a named test that has none.
    pub(crate) fn set_reason(&mut self, name: &str, reason: &str) {
        let unexplained =
            |failure: &&mut Failure| failure.reason.is_empty() && failure.is_named(name);
        if let Some(failure) = self.failures.iter_mut().find(unexplained) {
            failure.reason = cut::one_line(reason.trim(), MAX_REASON_BYTES);
        }
    }

    /// Returns true if the reason of the last failure ends with a colon.
    pub(crate) fn reason_is_incomplete(&self) -> bool {
        self.failures.last().is_some_and(|failure| failure.reason.ends_with(':'))
    }

    /// Returns true if the last failure has a reason.
    pub(crate) fn has_reason(&self) -> bool {
        self.failures.last().is_some_and(|failure| !failure.reason.is_empty())
    }

    /// Sets the location of the last failure if it has none.
    pub(crate) fn set_location(&mut self, location: &str) {
        if let Some(failure) =
            self.failures.last_mut().filter(|failure| failure.location.is_empty())
        {
            location.clone_into(&mut failure.location);
        }
    }

    /// Sets the location of the last failure, replacing an earlier one.
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

    /// Derives the passed tests from the total if the runner does not print them.
    pub(crate) fn derive_passed(&mut self) {
        let rest = self.failed.unwrap_or(0) + self.errors.unwrap_or(0) + self.skipped.unwrap_or(0);
        if self.passed.is_none() {
            self.passed = self.total.and_then(|total| total.checked_sub(rest));
        }
    }

    /// Reports the outcome; without a summary, only the failing tests seen so far.
    pub(crate) fn report(self, runner: &str, scope: &str) -> Option<Report> {
        let failing = self.has_failures();
        if !self.has_summary && self.failure_count() == 0 && self.earlier.count() == 0 {
            return None;
        }
        let summary = format!("{runner}: {}{scope}", self.summary());
        let mut report = Report::with_summary(summary, Quotes::Default).failing(failing);
        report.tests = self.facts(runner);
        if failing {
            report.facts_share = FAILURES_SHARE;
            self.add_failure_facts(&mut report);
        }
        Some(report)
    }

    /// Returns the facts of a single run.
    fn facts(&self, runner: &str) -> Option<TestFacts> {
        if self.has_several_runs() {
            return None;
        }
        let failed = self.failed.unwrap_or(0) + self.errors.unwrap_or(0);
        Some(TestFacts {
            runner: runner.to_owned(),
            passed: self.passed,
            failed: self.has_summary.then_some(failed),
            skipped: self.skipped,
            failing: self.failures.iter().map(|failure| failure.name.clone()).collect(),
            is_complete: self.has_summary
                && self.unlisted == 0
                && !self.has_other_failure
                && self.failures.len() as u64 == failed,
        })
    }

    /// Names weigh more than reasons, so that all failures are named before any is explained.
    fn add_failure_facts(&self, report: &mut Report) {
        for (index, failure) in self.failures.iter().enumerate() {
            let location = if failure.location.is_empty() {
                String::new()
            } else {
                format!("  {}", failure.location)
            };
            report.add_item(90, format!("FAILED {}{location}", failure.name));
            if !failure.reason.is_empty() {
                report.add(88 - index.min(60) as u32, format!("  {}", failure.reason));
            }
        }
        report.add_unlisted(self.unlisted);
    }

    fn summary(&self) -> String {
        if self.earlier.count() > 0 {
            return self.earlier.clone().with_last(self.last_run()).to_string();
        }
        if !self.has_summary {
            return format!("no summary; failing tests so far: {}", self.failure_count());
        }
        let duration =
            self.duration.as_ref().map(|duration| format!(", took {duration}")).unwrap_or_default();
        format!("{}{duration}", self.counts())
    }

    /// Returns the current run, unless nothing followed the last summary.
    fn last_run(&self) -> Option<TestRun> {
        match () {
            () if self.has_summary => Some(TestRun::Completed(self.counts())),
            () if self.named_in_run > 0 => Some(TestRun::Aborted),
            () => None,
        }
    }
}

impl Failure {
    /// Returns true if an earlier attempt or list already gave this reason.
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

    /// Compares names, one of which may be a suffix of the other: a test with and without its file.
    fn is_named(&self, name: &str) -> bool {
        self.name == name || ends_with_name(&self.name, name) || ends_with_name(name, &self.name)
    }
}

fn ends_with_name(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|before| before.ends_with([':', '.', ' ', '>']) && !short.is_empty())
}
