//! Jest, Vitest, Mocha and node's own runner: counts, failing tests, expected and received, the place.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "jest, vitest, mocha",
    keeps: "counts of tests and of files; failing tests; expected and received; the first own place",
    commands: &["jest", "vitest", "mocha", "npm test", "yarn test", "pnpm test", "ava", "node --test"],
    scope: Scope::Part(&["Test Suites: ", "  Test Files  ", " passing (", " failing", " ● ", " FAIL ", "FAIL ", "ℹ tests "]),
    start: || Box::<Jest>::default(),
};

#[derive(Debug, Default)]
struct Jest {
    outcome: Outcome,
    files: Option<String>,
    /// So many of the next lines say why a test failed.
    reason_lines: u32,
}

impl Recognizer for Jest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(mark) = self.summary(text) {
            self.reason_lines = 0;
            return mark;
        }
        if let Some(name) = failing_name(line.text) {
            self.outcome.fail(name);
            self.reason_lines = 30;
            return Mark::FAILURE;
        }
        if text.starts_with("✓ ") || text.starts_with("✔ ") || text.starts_with("PASS ") {
            return Mark::Noise;
        }
        if self.reason_lines == 0 || text.is_empty() {
            return Mark::Plain;
        }
        self.reason_lines -= 1;
        reason(text)
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let scope = self.files.as_ref().map(|files| format!("; files: {files}")).unwrap_or_default();
        self.outcome.report("tests", &scope)
    }
}

impl Jest {
    fn summary(&mut self, text: &str) -> Option<Mark> {
        let files = text.strip_prefix("Test Suites:").or_else(|| text.strip_prefix("Test Files "));
        if let Some(files) = files {
            self.files = Some(files.trim().to_owned());
            return Some(Mark::Noise);
        }
        if let Some(took) = text.strip_prefix("Time:").or_else(|| text.strip_prefix("Duration ")) {
            self.outcome.took = Some(took.trim().split("  ").next().unwrap_or(took).to_owned());
            return Some(Mark::NOTABLE);
        }
        let counts = text.strip_prefix("Tests:").or_else(|| text.strip_prefix("Tests  "));
        if let Some(counts) = counts {
            self.outcome.said = true;
            self.outcome.passed = count::before(counts, "passed").or(Some(0));
            self.outcome.failed = count::before(counts, "failed").or(Some(0));
            self.outcome.skipped = count::before(counts, "skipped").or(count::before(counts, "todo"));
            self.outcome.total = count::before(counts, "total");
            return Some(Mark::OUTCOME);
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
        Some(Mark::OUTCOME)
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

/// The test named by `● suite › name`, ` FAIL  file > name`, `× name`, `✖ name`, `1) name`.
fn failing_name(line: &str) -> Option<&str> {
    let text = line.trim();
    for start in ["● ", "FAIL  ", "FAIL ", "× ", "✖ ", "✕ "] {
        if let Some(name) = text.strip_prefix(start) {
            return (!name.starts_with("failing tests")).then_some(name);
        }
    }
    let (number, name) = text.split_once(") ")?;
    let is_mocha = line.starts_with("  ") && number.parse::<u32>().is_ok_and(|number| number < 1_000);
    is_mocha.then_some(name)
}

fn reason(text: &str) -> Mark {
    let says_why = ["Expected", "Received", "expected", "received", "+ ", "- ", "expect("]
        .iter()
        .any(|start| text.starts_with(start));
    if says_why || text.contains("Error: ") {
        return Mark::REASON;
    }
    let is_own = !text.contains("node_modules") && !text.contains("node:internal");
    match () {
        () if !is_own => Mark::Noise,
        () if text.starts_with('>') => Mark::DETAIL,
        () if place::is_named_in(text) => Mark::REASON,
        () => Mark::Plain,
    }
}
