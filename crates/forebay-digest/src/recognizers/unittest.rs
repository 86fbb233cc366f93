//! unittest: the summary, failing tests with exception and location.

use super::pytest::frame_or_error;
use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::hash::HashSet;
use crate::lines::Line;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "unittest",
    keeps: "counts; failing tests and subtests with exception and location",
    commands: &["unittest", "nose2", "manage.py test"],
    scope: Scope::Embedded(&["FAILED (", "Ran ", "===================="]),
    create: || Box::<Unittest>::default(),
};

/// Above this number of failures, passed tests are not derived.
const MAX_NOT_PASSED: usize = 5_000;

#[derive(Debug, Default)]
struct Unittest {
    /// Number of failing tests, subtests and fixtures that were named.
    opened: u64,
    outcome: TestOutcome,
    /// The previous line is a separator of equals signs, as above each failing test.
    after_separator: bool,
    /// Number of tests and duration, until the result follows.
    ran: Option<(u64, String)>,
    /// Below the name of a failing test.
    in_failure: bool,
    /// Tests that did not pass; several subtests of one may fail.
    not_passed: HashSet<String>,
}

impl Recognizer for Unittest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        let after_separator =
            std::mem::replace(&mut self.after_separator, is_separator(text, b'='));
        if self.after_separator {
            self.in_failure = false;
            return Mark::Noise;
        }
        if after_separator && let Some((name, class, subtest)) = failing_test(text) {
            return self.open(name, class, subtest);
        }
        if let Some(ran) = text.strip_prefix("Ran ").filter(|ran| ran.contains(" test")) {
            let took = ran.split_once(" in ").map_or("", |(_, took)| took);
            self.ran = count::first_number(ran).map(|count| (count, took.to_owned()));
            self.in_failure = false;
            return Mark::NOTABLE;
        }
        if (text.starts_with("FAILED (") || text == "OK" || text.starts_with("OK ("))
            && let Some((total, took)) = self.ran.take()
        {
            return self.summary_line(text, total, took);
        }
        if self.in_failure
            && let Some(mark) = frame_or_error(&mut self.outcome, text)
        {
            return mark;
        }
        if text.ends_with(" ... ok") { Mark::Noise } else { Mark::Plain }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        self.outcome.report("unittest", "")
    }
}

impl Unittest {
    fn open(&mut self, name: &str, class: &str, subtest: &str) -> Mark {
        self.outcome.add_failure(format!("{name} {subtest}").trim_end());
        self.opened += 1;
        self.in_failure = true;
        // Fixtures are not tests.
        let is_test = !name.starts_with("setUp") && !name.starts_with("tearDown");
        if is_test && self.not_passed.len() < MAX_NOT_PASSED {
            self.not_passed.insert(format!("{name} {class}"));
        }
        Mark::DETAIL
    }

    /// Handles the result, which must follow `Ran 3 tests in 0.1s`; tests may print a similar line.
    fn summary_line(&mut self, text: &str, total: u64, took: String) -> Mark {
        self.outcome.start_summary();
        self.outcome.total = Some(total);
        self.outcome.duration = Some(took);
        self.outcome.failed = count::after(text, "failures=").or(Some(0));
        self.outcome.errors = count::after(text, "errors=");
        self.outcome.skipped = count::after(text, "skipped=");
        let unexpected_successes = count::after(text, "unexpected successes=").unwrap_or(0);
        let expected_failures = count::after(text, "(expected failures=")
            .or(count::after(text, " expected failures="))
            .unwrap_or(0);
        self.outcome.other_counts = vec![
            (
                expected_failures,
                if expected_failures == 1 { "expected failure" } else { "expected failures" },
            ),
            (
                unexpected_successes,
                if unexpected_successes == 1 {
                    "unexpected success"
                } else {
                    "unexpected successes"
                },
            ),
        ];
        self.outcome.has_other_failure |= unexpected_successes > 0;
        let not_passed =
            self.not_passed.len() as u64 + self.outcome.skipped.unwrap_or(0) + expected_failures;
        let reported = self.outcome.failed.unwrap_or(0) + self.outcome.errors.unwrap_or(0);
        let all_named = std::mem::take(&mut self.opened) == reported + unexpected_successes;
        if self.not_passed.len() < MAX_NOT_PASSED && all_named {
            self.outcome.passed = total.checked_sub(not_passed);
        }
        self.not_passed.clear();
        if text.starts_with("OK") { Mark::NOTABLE } else { Mark::OUTCOME }
    }
}

/// Returns true for a separator of the width that unittest prints.
fn is_separator(text: &str, fill: u8) -> bool {
    text.len() == 70 && text.bytes().all(|byte| byte == fill)
}

/// Parses test, class and subtest of `FAIL: test_sum (tests.test_cart.Cart.test_sum) (i=3)`.
fn failing_test(text: &str) -> Option<(&str, &str, &str)> {
    let starts = ["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "];
    let rest = starts.iter().find_map(|start| text.strip_prefix(start))?;
    let (name, rest) = rest.split_once(" (").filter(|(name, _)| !name.contains(' '))?;
    let (class, subtest) = rest.split_once(')')?;
    Some((name, class, subtest.trim_start()))
}
