//! `cargo test` and `cargo nextest`: sums of all test binaries, failing tests, what each said.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "cargo test",
    keeps: "passed, failed and ignored over all test binaries; failing tests; panics with their place",
    commands: &["cargo test", "cargo nextest", "cargo t"],
    scope: Scope::Part(&["test result: ", "panicked at ", "     Summary ["]),
    start: || Box::<CargoTest>::default(),
};

#[derive(Debug, Default)]
struct CargoTest {
    outcome: Outcome,
    binaries: u64,
    /// So many of the next lines say why a test panicked.
    reason_lines: u32,
}

impl Recognizer for CargoTest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        // With --nocapture the next test may follow at once.
        if text.starts_with("test ") && text.contains(" ... ") {
            self.reason_lines = 0;
        }
        if self.reason_lines > 0 {
            return self.after_panic(text);
        }
        if let Some((thread, place)) = text.split_once("panicked at ") {
            self.reason_lines = 5;
            let name = thread.split('\'').nth(1).unwrap_or("main");
            self.outcome.fail(name);
            self.outcome.at(place.trim_end_matches(':'));
            return Mark::DETAIL;
        }
        if line.text.starts_with("test result: ") {
            self.binaries += 1;
            return self.result(text);
        }
        if text.starts_with("Summary [") {
            return self.result(text);
        }
        if text.starts_with("test result: ") {
            // nextest shows what each failing test printed.
            return Mark::Noise;
        }
        if let Some(test) = text.strip_prefix("test ") {
            return self.test(test);
        }
        if let Some((_, name)) = text.strip_prefix("FAIL [").and_then(|rest| rest.split_once(']')) {
            let name = name.trim();
            self.outcome.fail(name.rsplit(' ').next().unwrap_or(name));
            return Mark::DETAIL;
        }
        match text {
            _ if text.starts_with("PASS [") || text.starts_with("Compiling ") => Mark::Noise,
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let scope = match self.binaries {
            0 | 1 => String::new(),
            count => format!(" in {count} test binaries"),
        };
        self.outcome.report("cargo test", &scope)
    }
}

impl CargoTest {
    fn after_panic(&mut self, text: &str) -> Mark {
        self.reason_lines -= 1;
        let over = ["note: ", "stack backtrace", "----"].iter().any(|end| text.starts_with(end));
        if over || text.is_empty() {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        self.outcome.because(text);
        Mark::DETAIL
    }

    fn test(&mut self, test: &str) -> Mark {
        match test.rsplit_once(" ... ") {
            Some((name, "FAILED")) => {
                self.outcome.fail(name);
                Mark::DETAIL
            }
            Some((_, ending)) if ending == "ok" || ending.starts_with("ignored") => Mark::Noise,
            _ => Mark::Plain,
        }
    }

    fn result(&mut self, text: &str) -> Mark {
        self.outcome.said = true;
        let failed = count::before(text, "failed").unwrap_or(0);
        Outcome::add(&mut self.outcome.passed, count::before(text, "passed"));
        Outcome::add(&mut self.outcome.failed, Some(failed));
        let ignored = count::before(text, "ignored").or_else(|| count::before(text, "skipped"));
        Outcome::add(&mut self.outcome.skipped, ignored);
        if failed > 0 { Mark::OUTCOME } else { Mark::NOTABLE }
    }
}
