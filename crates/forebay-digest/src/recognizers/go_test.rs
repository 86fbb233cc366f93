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
}

impl Recognizer for GoTest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        if let Some(name) = text.strip_prefix("--- FAIL: ") {
            let name = name.split(' ').next().unwrap_or(name);
            self.outcome.fail(name);
            self.tests_failed += u64::from(!name.contains('/'));
            self.failing = true;
            return Mark::FAILURE;
        }
        if text.starts_with("--- PASS: ") || text.starts_with("=== ") {
            self.tests_passed += u64::from(text.starts_with("--- PASS: "));
            self.failing = false;
            return Mark::Noise;
        }
        if text.starts_with("--- SKIP: ") {
            self.skipped += 1;
            return Mark::NOTABLE;
        }
        if text.starts_with("panic: ") {
            self.failing = true;
            return Mark::FAILURE;
        }
        if let Some(mark) = self.package(line.text) {
            self.failing = false;
            return mark;
        }
        let is_message = self.failing && line.text.starts_with([' ', '\t']);
        match is_message {
            true if place::is_named_in(text) => Mark::REASON,
            true => Mark::DETAIL,
            false => Mark::Plain,
        }
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
        let mut packages = format!("; packages: {} ok, {failed} failed", self.packages_ok);
        if self.without_tests > 0 {
            packages += &format!(", {} without tests", self.without_tests);
        }
        let mut report = outcome.report("go test", &packages)?.failing(self.tests_failed + failed > 0);
        if failed > 0 {
            report.add(80, format!("failed packages: {}", self.packages_failed.names(8)));
        }
        Some(report)
    }
}

impl GoTest {
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
