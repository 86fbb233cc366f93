//! CTest: how many passed, which failed and how.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "ctest",
    keeps: "tests passed and failed; failing tests and how they ended; total time",
    commands: &["ctest", "make test", "ninja test"],
    scope: Scope::Part(&["Test project ", "% tests passed", "Test  #", "Test #"]),
    start: || Box::<Ctest>::default(),
};

#[derive(Debug, Default)]
struct Ctest {
    outcome: Outcome,
    in_list: bool,
    /// So many lines of what a failing test printed are still to be read.
    reason_lines: u32,
    skipped: u64,
    /// Runs before the last one, as they were summed up.
    earlier: Vec<String>,
}

impl Recognizer for Ctest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.contains("% tests passed") {
            return self.counts(text);
        }
        if let Some(took) = text.strip_prefix("Total Test time (real) =") {
            self.outcome.took = Some(took.trim().to_owned());
            return Mark::NOTABLE;
        }
        if text.starts_with("The following tests FAILED") {
            self.in_list = true;
            return Mark::DETAIL;
        }
        if self.in_list && let Some((number, name)) = text.split_once(" - ") {
            if number.trim().parse::<u64>().is_ok() {
                self.outcome.rename(name.split(' ').next().unwrap_or(name));
                return Mark::DETAIL;
            }
            self.in_list = false;
        }
        if text.contains(" Test ") && text.contains('#') {
            return self.result(text);
        }
        if text.starts_with("Start ") {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            self.outcome.because(text);
            return Mark::Weight(20);
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let earlier = if self.earlier.is_empty() { String::new() } else { format!("; another run: {}", self.earlier.join(", ")) };
        self.outcome.report("ctest", &earlier)
    }
}

impl Ctest {
    /// `2/6 Test #2: resample .....***Failed    0.00 sec`.
    fn result(&mut self, text: &str) -> Mark {
        self.reason_lines = 0;
        self.skipped += u64::from(text.contains("***Skipped"));
        let Some((before, how)) = text.split_once("***").filter(|(_, how)| !how.starts_with("Skipped")) else {
            return Mark::Noise;
        };
        let name = before.split_once(": ").map_or(before, |(_, name)| name);
        self.outcome.fail(name.split(' ').next().unwrap_or(name));
        self.outcome.because(how.split("  ").next().unwrap_or(how));
        self.reason_lines = 3;
        Mark::DETAIL
    }

    fn counts(&mut self, text: &str) -> Mark {
        let failed = count::before(text, "tests failed").or(count::before(text, "test failed"));
        let total = count::after(text, "out of ");
        if self.outcome.said {
            let (passed, failed) = (self.outcome.passed.unwrap_or(0), self.outcome.failed.unwrap_or(0));
            self.earlier.push(format!("{passed} passed, {failed} failed"));
        }
        self.outcome.said = failed.is_some() && total.is_some();
        self.outcome.failed = failed;
        self.outcome.total = total;
        self.outcome.skipped = Some(std::mem::take(&mut self.skipped));
        self.outcome.passed = None;
        self.outcome.work_out_passed();
        Mark::DETAIL
    }
}
