//! pytest and unittest: the summary, failing tests, what each asserted and where.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, Tops, count};

pub(super) const FORMAT: Format = Format {
    name: "pytest",
    keeps: "counts; failing tests; the assertion, its `E` lines and its place; errors while collecting",
    commands: &["pytest", "py.test", "tox", "unittest", "nose2"],
    scope: Scope::Part(&["test session starts", "=== FAILURES", "short test summary", "FAILED (", "Ran "]),
    start: || Box::<Pytest>::default(),
};

#[derive(Debug, Default)]
struct Pytest {
    outcome: Outcome,
    collected: Option<u64>,
    /// So many `E` lines of the present failure were seen.
    explained: u32,
    /// Within a section of failures.
    failing: bool,
    failing_files: Tops,
}

impl Recognizer for Pytest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if text.starts_with("==") {
            return self.section(text);
        }
        if let Some(rest) = text.strip_prefix("FAILED ").or_else(|| text.strip_prefix("ERROR ")) {
            return self.summary_line(rest);
        }
        if let Some(rest) = text.strip_prefix("FAIL: ").or_else(|| text.strip_prefix("ERROR: ")) {
            self.outcome.fail(rest);
            self.failing = true;
            return Mark::FAILURE;
        }
        if text.starts_with("Ran ") && count::before(text, "tests").or(count::before(text, "test")).is_some() {
            self.outcome.total = count::after(text, "Ran ");
            return Mark::OUTCOME;
        }
        if text.starts_with("FAILED (") || text == "OK" || text.starts_with("OK (") {
            return self.unittest_ending(text);
        }
        self.within_failure(text)
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let scope = match self.collected {
            Some(items) => format!(" (collected {items})"),
            None => String::new(),
        };
        let mut report = self.outcome.report("pytest", &scope)?;
        if self.failing_files.distinct() > 1 {
            report.add(50, format!("failures by file: {}", self.failing_files.list(8)));
        }
        Some(report)
    }
}

impl Pytest {
    fn section(&mut self, text: &str) -> Mark {
        let title = text.trim_matches(['=', ' ']);
        self.failing = matches!(title, "FAILURES" | "ERRORS");
        let has_count = ["passed", "failed", "error", "errors", "skipped", "no tests ran"]
            .iter()
            .any(|word| count::before(title, word).is_some() || title.starts_with("no tests ran"));
        if !has_count || !title.contains(" in ") {
            return if self.failing { Mark::NOTABLE } else { Mark::Noise };
        }
        self.outcome.said = true;
        self.outcome.passed = count::before(title, "passed").or(Some(0));
        self.outcome.failed = count::before(title, "failed").or(Some(0));
        self.outcome.errors = count::before(title, "error").or(count::before(title, "errors"));
        self.outcome.skipped = count::before(title, "skipped");
        self.outcome.took = title.rsplit_once(" in ").map(|(_, took)| took.to_owned());
        Mark::OUTCOME
    }

    fn summary_line(&mut self, rest: &str) -> Mark {
        let name = rest.split(" - ").next().unwrap_or(rest);
        if !name.contains(['.', ':']) {
            return Mark::Plain;
        }
        self.outcome.fail(name);
        self.failing_files.add(name.split("::").next().unwrap_or(name));
        Mark::FAILURE
    }

    fn unittest_ending(&mut self, text: &str) -> Mark {
        self.outcome.said = true;
        self.outcome.failed = count::after(text, "failures=").or(Some(0));
        self.outcome.errors = count::after(text, "errors=");
        self.outcome.skipped = count::after(text, "skipped=");
        Mark::OUTCOME
    }

    fn within_failure(&mut self, text: &str) -> Mark {
        if text.starts_with("___") {
            self.explained = 0;
            return Mark::DETAIL;
        }
        if text.starts_with("E  ") && self.failing {
            self.explained += 1;
            return if self.explained <= 3 { Mark::REASON } else { Mark::DETAIL };
        }
        if let Some(items) = text.strip_prefix("collected ") {
            self.collected = count::first_number(items);
            return Mark::NOTABLE;
        }
        if is_progress(text) {
            return Mark::Noise;
        }
        match text.as_bytes().first() {
            Some(b'>') if self.failing => Mark::DETAIL,
            Some(b' ' | b'-') | None => Mark::Plain,
            Some(_) if self.failing && (place::is_named_in(text) || text.contains("Error")) => Mark::REASON,
            _ => Mark::Plain,
        }
    }
}

/// `tests/test_a.py ..F.. [ 50%]` and `tests/test_a.py::test_b PASSED [ 1%]`.
fn is_progress(text: &str) -> bool {
    (text.ends_with("%]") && !text.contains("FAILED") && !text.contains("ERROR")) || text.ends_with(" PASSED") || text.ends_with(" ... ok")
}
