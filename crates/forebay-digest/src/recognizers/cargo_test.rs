//! `cargo test` and `cargo nextest`: sums of all test binaries, failing tests, what each said.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::{Tops, count};

pub(super) const FORMAT: Format = Format {
    name: "cargo test",
    keeps: "passed, failed and ignored over all test binaries; failing tests, panics with their place",
    commands: &["cargo test", "cargo nextest", "cargo t"],
    scope: Scope::Part(&["test result: ", "running ", "panicked at ", "Nextest run", "     Summary ["]),
    start: || Box::<CargoTest>::default(),
};

#[derive(Debug, Default)]
struct CargoTest {
    binaries: u64,
    passed: u64,
    failed: u64,
    ignored: u64,
    failing: Tops,
    /// The lines after a panic that say why.
    reason_lines: u32,
}

impl Recognizer for CargoTest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        if self.reason_lines > 0 {
            self.reason_lines -= 1;
            if text.is_empty() || text.starts_with("note: ") || text.starts_with("stack backtrace") {
                self.reason_lines = 0;
            } else {
                return Mark::REASON;
            }
        }
        if let Some(test) = text.strip_prefix("test ") {
            return self.test(test);
        }
        if text.starts_with("test result: ") || text.starts_with("Summary [") {
            return self.result(text);
        }
        if text.contains("panicked at ") {
            self.reason_lines = 4;
            return Mark::FAILURE;
        }
        if let Some(test) = text.strip_prefix("FAIL [") {
            return self.nextest_failure(test);
        }
        match text {
            _ if text.starts_with("PASS [") => Mark::Noise,
            _ if text.starts_with("   Compiling ") => Mark::Noise,
            _ if text.starts_with("---- ") && text.ends_with(" stdout ----") => Mark::DETAIL,
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.binaries == 0 || (self.failed == 0 && !self.failing.is_empty()) {
            return None;
        }
        let binaries = match self.binaries {
            1 => String::new(),
            count => format!(" in {count} test binaries"),
        };
        let Self { passed, failed, ignored, .. } = *self;
        let summary = format!("cargo test: {passed} passed, {failed} failed, {ignored} ignored{binaries}");
        let mut report = Report::of(summary, Quotes::Usual).failing(failed > 0);
        if failed > 0 {
            report.add(90, format!("failed: {}", self.failing.names(12)));
        }
        Some(report)
    }
}

impl CargoTest {
    fn test(&mut self, test: &str) -> Mark {
        match test.rsplit_once(" ... ") {
            Some((name, "FAILED")) => {
                self.failing.add(name);
                Mark::DETAIL
            }
            Some((_, "ok" | "ignored")) => Mark::Noise,
            _ => Mark::Plain,
        }
    }

    fn result(&mut self, text: &str) -> Mark {
        self.binaries += 1;
        self.passed += count::before(text, "passed").unwrap_or(0);
        self.failed += count::before(text, "failed").unwrap_or(0);
        let ignored = count::before(text, "ignored").or_else(|| count::before(text, "skipped"));
        self.ignored += ignored.unwrap_or(0);
        if count::before(text, "failed").is_some_and(|failed| failed > 0) {
            return Mark::OUTCOME;
        }
        Mark::Plain
    }

    fn nextest_failure(&mut self, test: &str) -> Mark {
        if let Some((_, name)) = test.split_once(']') {
            self.failing.add(name.trim());
        }
        Mark::FAILURE
    }
}
