//! unittest: the summary, failing tests, what each raised and where.

use super::pytest::frame_or_error;
use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::hash::HashSet;
use crate::lines::Line;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "unittest",
    keeps: "counts; failing tests and subtests with what they raised and its place",
    commands: &["unittest", "nose2", "manage.py test"],
    scope: Scope::Embedded(&["FAILED (", "Ran ", "===================="]),
    create: || Box::<Unittest>::default(),
};

/// Of more tests that did not pass it is not worked out how many did.
const MAX_NOT_PASSED: usize = 5_000;

#[derive(Debug, Default)]
struct Unittest {
    outcome: TestOutcome,
    /// The line above is a rule of equals signs, as it stands above each failing test.
    after_separator: bool,
    /// How many tests ran and how long it took, until it is said how they ended.
    ran: Option<(u64, String)>,
    /// Below the name of a failing test.
    failing: bool,
    /// Tests that did not pass; several subtests of one may fail.
    not_passed: HashSet<String>,
}

impl Recognizer for Unittest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        let after_separator =
            std::mem::replace(&mut self.after_separator, is_separator(text, b'='));
        if self.after_separator {
            self.failing = false;
            return Mark::Noise;
        }
        if after_separator && let Some((name, class, subtest)) = failing_test(text) {
            return self.open(name, class, subtest);
        }
        if let Some(ran) = text.strip_prefix("Ran ").filter(|ran| ran.contains(" test")) {
            let took = ran.split_once(" in ").map_or("", |(_, took)| took);
            self.ran = count::first_number(ran).map(|count| (count, took.to_owned()));
            self.failing = false;
            return Mark::NOTABLE;
        }
        if (text.starts_with("FAILED (") || text == "OK" || text.starts_with("OK ("))
            && let Some((total, took)) = self.ran.take()
        {
            return self.summary_line(text, total, took);
        }
        if self.failing
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
        self.failing = true;
        // What is set up for many tests is no test.
        let is_test = !name.starts_with("setUp") && !name.starts_with("tearDown");
        if is_test && self.not_passed.len() < MAX_NOT_PASSED {
            self.not_passed.insert(format!("{name} {class}"));
        }
        Mark::DETAIL
    }

    /// Only below `Ran 3 tests in 0.1s`; what a test prints may look alike.
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
        if self.not_passed.len() < MAX_NOT_PASSED {
            self.outcome.passed = total.checked_sub(not_passed);
        }
        self.not_passed.clear();
        if text.starts_with("OK") { Mark::NOTABLE } else { Mark::OUTCOME }
    }
}

/// A line of nothing else, as wide as unittest draws it.
fn is_separator(text: &str, fill: u8) -> bool {
    text.len() == 70 && text.bytes().all(|byte| byte == fill)
}

/// The test, its class and the subtest of `FAIL: test_sum (tests.test_cart.Cart.test_sum) (i=3)`.
fn failing_test(text: &str) -> Option<(&str, &str, &str)> {
    let starts = ["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "];
    let rest = starts.iter().find_map(|start| text.strip_prefix(start))?;
    let (name, rest) = rest.split_once(" (").filter(|(name, _)| !name.contains(' '))?;
    let (class, subtest) = rest.split_once(')')?;
    Some((name, class, subtest.trim_start()))
}
