//! pytest and unittest: the summary, failing tests, what each asserted and where.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "pytest",
    keeps: "counts; failing tests with the assertion and its place; errors while collecting",
    commands: &["pytest", "py.test", "tox", "unittest", "nose2"],
    scope: Scope::Part(&["test session starts", "=== FAILURES", "short test summary", "FAILED (", " passed", " failed", "Ran "]),
    start: || Box::<Pytest>::default(),
};

#[derive(Debug, Default)]
struct Pytest {
    outcome: Outcome,
    unittest: bool,
    /// Within a section of failures.
    failing: bool,
    reasons: u32,
}

impl Recognizer for Pytest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if text.starts_with("==") {
            return self.section(text);
        }
        if text.starts_with("FAILED (") || text == "OK" || text.starts_with("OK (") {
            return self.unittest_ending(text);
        }
        if let Some(rest) = text.strip_prefix("FAILED ").or_else(|| text.strip_prefix("ERROR ")) {
            return self.summary_line(rest);
        }
        if let Some(name) = unittest_name(text) {
            self.open(name);
            return Mark::DETAIL;
        }
        if let Some(ran) = text.strip_prefix("Ran ").filter(|ran| ran.contains(" test")) {
            self.outcome.total = count::first_number(ran);
            self.outcome.took = ran.split_once(" in ").map(|(_, took)| took.to_owned());
            return Mark::NOTABLE;
        }
        self.within_failure(text)
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let mut outcome = self.outcome;
        if self.unittest {
            outcome.work_out_passed();
        }
        outcome.report(if self.unittest { "unittest" } else { "pytest" }, "")
    }
}

impl Pytest {
    fn open(&mut self, name: &str) {
        self.outcome.fail(name);
        self.failing = true;
        self.reasons = 0;
    }

    fn section(&mut self, text: &str) -> Mark {
        let title = text.trim_matches(['=', ' ']);
        if title.is_empty() {
            return Mark::Noise;
        }
        self.failing = matches!(title, "FAILURES" | "ERRORS");
        let words = ["passed", "failed", "error", "errors", "skipped", "deselected"];
        let has_count = words.iter().any(|word| count::before(title, word).is_some());
        if !(has_count && title.contains(" in ") || title.starts_with("no tests ran")) {
            return Mark::Noise;
        }
        self.outcome.said = true;
        self.outcome.passed = count::before(title, "passed").or(Some(0));
        self.outcome.failed = count::before(title, "failed").or(Some(0));
        self.outcome.errors = count::before(title, "error").or(count::before(title, "errors"));
        self.outcome.skipped = count::before(title, "skipped");
        self.outcome.took = title.rsplit_once(" in ").map(|(_, took)| took.to_owned());
        Mark::NOTABLE
    }

    /// `FAILED tests/test_a.py::test_b - message`: the whole name of a test that was told of before.
    fn summary_line(&mut self, rest: &str) -> Mark {
        let name = rest.split(" - ").next().unwrap_or(rest);
        if name.contains("::") || !name.contains(' ') && name.contains(".py") {
            self.outcome.rename(name);
            return Mark::DETAIL;
        }
        Mark::Plain
    }

    fn unittest_ending(&mut self, text: &str) -> Mark {
        self.unittest = true;
        self.outcome.said = true;
        self.outcome.failed = count::after(text, "failures=").or(Some(0));
        self.outcome.errors = count::after(text, "errors=");
        self.outcome.skipped = count::after(text, "skipped=");
        if text.starts_with("OK") { Mark::NOTABLE } else { Mark::OUTCOME }
    }

    fn within_failure(&mut self, text: &str) -> Mark {
        if let Some(title) = text.strip_prefix("___") {
            let name = title.trim_matches(['_', ' ']);
            let name = name.split(" of ").last().unwrap_or(name);
            self.open(name.strip_prefix("ERROR collecting ").unwrap_or(name));
            return Mark::Noise;
        }
        if !self.failing {
            if let Some((_, items)) = text.split_once("collected ") {
                self.outcome.total = count::first_number(items);
                return Mark::NOTABLE;
            }
            return if is_progress(text) { Mark::Noise } else { Mark::Plain };
        }
        if let Some(reason) = text.strip_prefix("E  ") {
            self.reasons += 1;
            if self.reasons <= 2 && !reason.trim().is_empty() {
                self.outcome.because(reason);
            }
            return Mark::Weight(18);
        }
        let is_frame = text.trim_start().starts_with("File \"") || !text.starts_with([' ', '>', '-']);
        if is_frame && let Some(place) = place::first(text).filter(|_| !text.contains("/lib/python")) {
            self.outcome.finally_at(&place);
            return Mark::DETAIL;
        }
        let is_raised = text.starts_with(|c: char| c.is_ascii_alphabetic()) && (text.contains("Error") || text.contains("Exception"));
        if is_raised && !text.starts_with("Traceback") {
            self.outcome.because(text);
            return Mark::DETAIL;
        }
        if text.starts_with('>') { Mark::Weight(18) } else { Mark::Plain }
    }
}

/// The test of `FAIL: test_sum (tests.test_cart.Cart.test_sum)`.
fn unittest_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("FAIL: ").or_else(|| text.strip_prefix("ERROR: "))?;
    let (name, _) = rest.split_once(" (")?;
    (!name.contains(' ')).then_some(name)
}

/// `tests/test_a.py ..F.. [ 50%]` and `tests/test_a.py::test_b PASSED [ 1%]`.
fn is_progress(text: &str) -> bool {
    let failed = text.contains("FAILED") || text.contains("ERROR");
    text.ends_with("%]") && !failed || text.ends_with(" PASSED") || text.ends_with(" ... ok")
}
