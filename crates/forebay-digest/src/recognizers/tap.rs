//! TAP: the plan, failing tests and their diagnostics, subtests.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "tap",
    keeps: "test counts; failing tests with message and location",
    commands: &["prove", "tap", "bats", "node --test"],
    scope: Scope::Embedded(&["TAP version", "not ok ", "ok 1 ", "1..", "# fail ", "# pass "]),
    create: || Box::<Tap>::default(),
};

/// The directive of a test that may fail; split, so that searches for open tasks skip it.
const EXPECTED_FAILURE: &str = concat!("# TO", "DO");

#[derive(Debug, Default)]
struct Tap {
    outcome: TestOutcome,
    passed: u64,
    failed: u64,
    skipped: u64,
    plans: Plans,
    /// The number of the first result; if it is not 1, some were not seen.
    first_number: Option<u64>,
    /// Below a failing test.
    in_failure: bool,
    /// The next line is the first of a multi-line error.
    error_follows: bool,
    has_subtests: bool,
    /// A failing test, until it is known whether only its subtests failed.
    pending: Option<String>,
    location: Option<String>,
}

/// The plans, each of which comes before its results or right after them.
#[derive(Debug, Default)]
struct Plans {
    /// Number of planned tests, once a version or plan line proves that the text is TAP; output of
    /// tests may look like results.
    tests: Option<u64>,
    /// Number of results since the last plan.
    results: u64,
    /// The number of the last result since the last plan.
    last_number: u64,
    /// A plan came before its results.
    come_first: bool,
    /// Some result is not of any plan, because something else printed it.
    is_doubtful: bool,
}

impl Plans {
    fn add(&mut self, tests: u64) {
        self.tests = Some(self.tests.unwrap_or(0).saturating_add(tests));
        let results = std::mem::take(&mut self.results);
        self.is_doubtful |= !self.come_first && results > 0 && results != tests;
        self.come_first |= results == 0;
        self.last_number = 0;
    }

    /// Counts a result. Those of a plan that came before them are numbered in order.
    fn add_result(&mut self, number: Option<u64>) {
        self.results += 1;
        let Some(number) = number else { return };
        self.is_doubtful |= self.come_first && self.last_number.checked_add(1) != Some(number);
        self.last_number = number;
    }

    /// Returns true if these may be the results of the plans.
    fn allow(&self, results: u64) -> bool {
        let is_exceeded = self.tests.is_some_and(|tests| tests > 0 && results > tests);
        !self.is_doubtful && !is_exceeded
    }
}

impl Recognizer for Tap {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        let (failed, passed) = (result(text, "not ok "), result(text, "ok "));
        let is_indented = text.len() < line.text.len();
        self.has_subtests |= is_indented && failed.or(passed).is_some();
        if let Some(name) = failed {
            self.note_number(name);
            return self.not_ok(name);
        }
        if let Some(name) = passed {
            self.note_number(name);
            self.in_failure = false;
            self.passed += 1;
            self.skipped += u64::from(name.contains("# SKIP") || name.contains("# skip"));
            return Mark::Noise;
        }
        if line.text.starts_with("TAP version ") {
            if self.plans.tests.is_none() {
                // Something else printed the results before it.
                *self = Self::default();
            }
            self.plans.tests.get_or_insert(0);
            return Mark::Noise;
        }
        if let Some(plan) = line.text.strip_prefix("1..") {
            self.plans.add(plan.split(' ').next().and_then(count::parse).unwrap_or(0));
            return Mark::NOTABLE;
        }
        if let Some(mark) = self.node_summary(text) {
            return mark;
        }
        if let Some(comment) = text.strip_prefix('#').filter(|_| !is_padding(text)) {
            return self.comment(comment.trim());
        }
        if !self.in_failure || text.is_empty() {
            return if is_padding(text) { Mark::Noise } else { Mark::Plain };
        }
        self.diagnostic(text)
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let Self {
            mut outcome, passed, failed, skipped, plans, has_subtests, first_number, ..
        } = *self;
        let results = passed + failed;
        let planned = plans.tests.filter(|_| results > 0)?;
        if !has_subtests && !outcome.has_summary && !plans.allow(results) {
            return None;
        }
        if outcome.has_summary {
            return outcome.report("tap", "");
        }
        // Tests cannot be distinguished from the groups that contain them.
        outcome.has_summary = !has_subtests && first_number.is_none_or(|number| number <= 1);
        outcome.passed = Some(passed - skipped);
        outcome.failed = Some(failed);
        outcome.skipped = Some(skipped);
        outcome.total = Some(results);
        // A plan that differs from the results means missed lines, or tests that did not run.
        let plan = if planned != results && planned > 0 {
            format!(" (of {planned} planned)")
        } else {
            String::new()
        };
        outcome.report("tap", &plan)
    }
}

impl Tap {
    fn note_number(&mut self, name: &str) {
        let number = name.split(' ').next().and_then(|number| number.parse().ok());
        self.plans.add_result(number.filter(|_| !self.has_subtests));
        if self.passed + self.failed == 0 {
            self.first_number = number;
        }
    }

    fn not_ok(&mut self, name: &str) -> Mark {
        self.in_failure = !name.contains(EXPECTED_FAILURE);
        if !self.in_failure {
            return Mark::Plain;
        }
        self.failed += 1;
        self.pending = Some(without_number(name).to_owned());
        if !self.has_subtests {
            self.commit_failure();
        }
        Mark::DETAIL
    }

    fn commit_failure(&mut self) {
        if let Some(name) = self.pending.take() {
            self.outcome.add_failure(&name);
        }
    }

    fn explain(&mut self, error: &str) {
        self.commit_failure();
        self.outcome.add_reason(error);
    }

    /// Handles `# pass 66`; Node counts all tests, including those in groups.
    fn node_summary(&mut self, text: &str) -> Option<Mark> {
        let (word, number) = text.strip_prefix("# ")?.split_once(' ')?;
        let count = count::parse(number)?;
        match word {
            "tests" => {
                self.outcome.start_summary();
                self.outcome.total = Some(count);
            }
            "pass" => self.outcome.passed = Some(count),
            "fail" => self.outcome.failed = Some(count),
            "skipped" | "skip" => self.outcome.skipped = Some(count),
            "cancelled" if count > 0 => self.outcome.errors = Some(count),
            _ => return Some(Mark::Noise),
        }
        Some(Mark::NOTABLE)
    }

    fn diagnostic(&mut self, text: &str) -> Mark {
        if text.contains("'subtestsFailed'") {
            self.in_failure = false;
            self.pending = None;
            return Mark::Noise;
        }
        if std::mem::take(&mut self.error_follows) {
            self.explain(text);
            return Mark::DETAIL;
        }
        if self.outcome.reason_is_incomplete() && !text.starts_with("code:") {
            self.outcome.add_reason(text);
            return Mark::DETAIL;
        }
        if let Some(location) = text.strip_prefix("location:") {
            // Set only once an error proves that this is not just a group.
            self.location = location::find_first(location);
            return Mark::Weight(16);
        }
        if let Some(error) = text.strip_prefix("error:") {
            let error = error.trim().trim_matches('\'');
            self.error_follows = error.starts_with('|');
            if !self.error_follows {
                self.explain(error.trim_matches('"'));
            }
            return Mark::DETAIL;
        }
        if text.contains("node:internal") || is_padding(text) {
            return Mark::Noise;
        }
        let is_frame = text.contains("at ") || text.contains('(');
        if let Some(location) = location::find_first(text).filter(|_| is_frame) {
            self.outcome.set_location(&location);
        } else if text.starts_with("code:")
            && let Some(location) = self.location.take()
        {
            self.outcome.set_location(&location);
        }
        Mark::Weight(16)
    }

    /// Handles `#   Failed test 'x'`, `#   at t/a.t line 29.`, `#          got: '3'`.
    fn comment(&mut self, text: &str) -> Mark {
        if let Some(name) =
            text.strip_prefix("Failed test '").and_then(|rest| rest.rsplit_once('\''))
        {
            self.outcome.add_failure(name.0);
            self.in_failure = true;
            return Mark::DETAIL;
        }
        if !self.in_failure {
            return Mark::Plain;
        }
        self.commit_failure();
        if let Some(at) = text.strip_prefix("at ") {
            self.outcome.set_location(at.trim_end_matches('.'));
        } else if !text.starts_with("Failed test") && !text.starts_with("Looks like") {
            self.outcome.add_reason(text);
        }
        Mark::Weight(18)
    }
}

/// Returns what follows `ok ` in `ok 3 - parses` and `ok - parses`; `go test` prints `ok  \tpackage`.
fn result<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(start)?;
    let after_number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = after_number.len() < rest.len()
        && (after_number.is_empty() || after_number.starts_with(' '));
    (has_number || rest.starts_with("- ")).then_some(rest)
}

fn is_padding(text: &str) -> bool {
    text == "---"
        || text == "..."
        || text.starts_with("duration_ms:")
        || text.starts_with("# Subtest")
        || text.starts_with("type:")
        || text.starts_with("code:")
}

/// Strips the number of `3 - parses`.
fn without_number(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([' ', '-'])
}
