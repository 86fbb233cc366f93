//! `go test`: packages that passed and failed, failing tests with their messages.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, Tops};

pub(super) const FORMAT: Format = Format {
    name: "go test",
    keeps: "packages that passed and failed; failing tests and subtests; messages with their place; panics",
    commands: &["go test", "gotestsum"],
    scope: Scope::Part(&["--- FAIL: ", "--- PASS: ", "FAIL\t", "ok  \t", "=== RUN "]),
    start: || Box::<GoTest>::default(),
};

#[derive(Debug, Default)]
struct GoTest {
    outcome: Outcome,
    tests_passed: u64,
    /// Without subtests.
    tests_failed: u64,
    skipped: u64,
    packages_ok: u64,
    packages_failed: Tops,
    without_tests: u64,
    failing: bool,
    /// What a test said before it was known to fail.
    pending: Option<String>,
}

impl Recognizer for GoTest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        if let Some(name) = text.strip_prefix("--- FAIL: ") {
            let name = name.split(' ').next().unwrap_or(name);
            self.outcome.fail(name);
            self.tests_failed += u64::from(!name.contains('/'));
            self.failing = true;
            if let Some(message) = self.pending.take() {
                self.explain(&message);
            }
            return Mark::DETAIL;
        }
        if text.starts_with("--- PASS: ") || text.starts_with("=== ") {
            self.tests_passed += u64::from(text.starts_with("--- PASS: "));
            self.failing = false;
            self.pending = None;
            return Mark::Noise;
        }
        if text.starts_with("--- SKIP: ") {
            self.skipped += 1;
            return Mark::NOTABLE;
        }
        if text.starts_with("panic: ") {
            self.failing = true;
            self.outcome.because(text);
            return Mark::FAILURE;
        }
        if let Some(mark) = self.package(line.text) {
            self.failing = false;
            return mark;
        }
        self.message(line.text)
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let mut outcome = self.outcome;
        let failed = self.packages_failed.distinct() as u64;
        outcome.said = self.packages_ok + failed > 0;
        if self.tests_passed > 0 {
            outcome.passed = Some(self.tests_passed);
        }
        if self.skipped > 0 {
            outcome.skipped = Some(self.skipped);
        }
        outcome.failed = Some(self.tests_failed);
        let mut packages = format!("; {} packages ok, {failed} packages failed", self.packages_ok);
        if self.without_tests > 0 {
            packages += &format!(", {} without tests", self.without_tests);
        }
        let mut report = outcome.report("go test", &packages)?.failing(self.tests_failed + failed > 0);
        if failed > 0 {
            report.add(80, format!("in packages: {}", self.packages_failed.names(8)));
        }
        Some(report)
    }
}

impl GoTest {
    /// `    queue_test.go:41: message`, before the test is said to have failed or after it.
    fn message(&mut self, line: &str) -> Mark {
        let text = line.trim();
        if !line.starts_with([' ', '\t']) || !place::is_named_in(text) {
            return Mark::Plain;
        }
        if self.failing && !text.contains("/src/testing/") && !text.contains("/src/runtime/") {
            self.explain(text);
        } else {
            self.pending = Some(text.to_owned());
        }
        Mark::Weight(16)
    }

    fn explain(&mut self, text: &str) {
        if let Some(remark) = place::remark(text) {
            self.outcome.at(&format!("{}:{}", remark.path, remark.line));
            self.outcome.because(remark.text);
        }
    }

    fn package(&mut self, line: &str) -> Option<Mark> {
        let (state, rest) = line.split_once('\t')?;
        match state.trim_end() {
            "ok" => self.packages_ok += 1,
            "FAIL" => {
                let name = rest.split(['\t', ' ']).next().unwrap_or(rest);
                self.packages_failed.add(name);
                return Some(Mark::OUTCOME);
            }
            "?" => self.without_tests += 1,
            _ => return None,
        }
        Some(Mark::Noise)
    }
}
