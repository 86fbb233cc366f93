//! Jest, Vitest, Mocha and node's own runner: counts, failing tests, expected and received, the place.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "jest, vitest, mocha",
    keeps: "counts of tests and of files; failing tests; expected and received; the first own place",
    commands: &["jest", "vitest", "mocha", "npm test", "yarn test", "pnpm test", "ava"],
    scope: Scope::Part(&["Test Suites: ", " Test Files  ", " passing (", "  ● ", " FAIL  ", "ℹ tests "]),
    start: || Box::<Jest>::default(),
};

#[derive(Debug, Default)]
struct Jest {
    outcome: Outcome,
    files: Option<String>,
    /// So many of the next lines say why a test failed.
    reason_lines: u32,
    /// A name of several lines is being read, one below the other.
    name: Option<String>,
}

impl Recognizer for Jest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(mark) = self.summary(text) {
            self.reason_lines = 0;
            return mark;
        }
        if let Some(name) = self.name.take() {
            return self.name_goes_on(name, text);
        }
        if let Some(name) = numbered(line.text).filter(|_| self.outcome.failed.is_some()) {
            return self.name_goes_on(String::new(), name);
        }
        if let Some(name) = failing_name(text) {
            self.open(name);
            return Mark::DETAIL;
        }
        if text.starts_with("✓ ") || text.starts_with("✔ ") || text.starts_with("PASS ") {
            return Mark::Noise;
        }
        if self.reason_lines == 0 || text.is_empty() {
            return Mark::Plain;
        }
        self.reason_lines -= 1;
        self.reason(text)
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let scope = self.files.as_ref().map(|files| format!("; files: {files}")).unwrap_or_default();
        self.outcome.report("tests", &scope)
    }
}

impl Jest {
    fn open(&mut self, name: &str) {
        self.outcome.fail(name);
        self.reason_lines = 40;
    }

    /// Mocha writes the suites of a test above it, and a colon after its name.
    fn name_goes_on(&mut self, mut name: String, part: &str) -> Mark {
        if !name.is_empty() && !part.is_empty() {
            name.push_str(" › ");
        }
        name.push_str(part.trim_end_matches(':'));
        if part.ends_with(':') || part.is_empty() {
            self.open(&name);
        } else {
            self.name = Some(name);
        }
        Mark::DETAIL
    }

    fn reason(&mut self, text: &str) -> Mark {
        if text.contains("node_modules") || text.contains("node:internal") {
            return Mark::Noise;
        }
        let is_frame = text.starts_with("at ") || text.starts_with('❯');
        if let Some(place) = place::first(text).filter(|_| is_frame) {
            self.outcome.at(&place);
            return Mark::Weight(16);
        }
        if self.outcome.awaits_more() {
            self.outcome.because(text);
            return Mark::DETAIL;
        }
        let says_why = ["Expected", "Received", "expected ", "Cannot find", "thrown:"].iter().any(|start| text.starts_with(start));
        let label = text.split(':').next().unwrap_or_default();
        let is_error = label.contains("Error") && text.contains(": ");
        if is_error && !self.outcome.is_explained() || says_why && text.contains([':', ' ']) && text != "Expected" {
            self.outcome.because(text);
            return Mark::DETAIL;
        }
        Mark::Plain
    }

    fn summary(&mut self, text: &str) -> Option<Mark> {
        let files = text.strip_prefix("Test Suites:").or_else(|| text.strip_prefix("Test Files "));
        if let Some(files) = files {
            self.files = Some(files.trim().to_owned());
            return Some(Mark::Noise);
        }
        if let Some(took) = text.strip_prefix("Time:").or_else(|| text.strip_prefix("Duration ")) {
            self.outcome.took = Some(took.trim().split([',', '(']).next().unwrap_or(took).trim().to_owned());
            return Some(Mark::Noise);
        }
        let counts = text.strip_prefix("Tests:").or_else(|| text.strip_prefix("Tests  "));
        if let Some(counts) = counts {
            self.outcome.said = true;
            self.outcome.passed = count::before(counts, "passed").or(Some(0));
            self.outcome.failed = count::before(counts, "failed").or(Some(0));
            self.outcome.skipped = count::before(counts, "skipped").or(count::before(counts, "todo"));
            self.outcome.total = count::before(counts, "total");
            return Some(Mark::NOTABLE);
        }
        self.mocha_summary(text).or_else(|| self.node_summary(text))
    }

    fn mocha_summary(&mut self, text: &str) -> Option<Mark> {
        let (number, word) = text.split_once(' ')?;
        let count = number.parse().ok()?;
        match word.split(' ').next()? {
            "passing" => (self.outcome.passed, self.outcome.said) = (Some(count), true),
            "failing" => (self.outcome.failed, self.outcome.said) = (Some(count), true),
            "pending" => self.outcome.skipped = Some(count),
            _ => return None,
        }
        Some(Mark::NOTABLE)
    }

    fn node_summary(&mut self, text: &str) -> Option<Mark> {
        let (word, number) = text.strip_prefix("ℹ ")?.split_once(' ')?;
        let count = number.parse().ok();
        match word {
            "tests" => (self.outcome.total, self.outcome.said) = (count, true),
            "pass" => self.outcome.passed = count,
            "fail" => self.outcome.failed = count,
            "skipped" => self.outcome.skipped = count,
            _ => return Some(Mark::Noise),
        }
        Some(Mark::NOTABLE)
    }
}

/// The test named by `● suite › name`, `FAIL  file > name`, `✖ name`.
fn failing_name(text: &str) -> Option<&str> {
    for start in ["● ", "FAIL  ", "✖ "] {
        if let Some(name) = text.strip_prefix(start) {
            return (!name.starts_with("failing tests")).then_some(name);
        }
    }
    None
}

/// `  1) suite`, as Mocha lists failures at its end.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix("  ")?.split_once(") ")?;
    number.parse::<u32>().is_ok().then_some(name)
}
