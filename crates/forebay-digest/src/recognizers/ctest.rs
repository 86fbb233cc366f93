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
                self.outcome.fail(name);
                return Mark::FAILURE;
            }
            self.in_list = false;
        }
        let is_result = text.contains(" Test ") && text.contains('#');
        match is_result {
            true if text.contains("***") => Mark::FAILURE,
            true => Mark::Noise,
            false if text.starts_with("Start ") => Mark::Noise,
            false => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        self.outcome.report("ctest", "")
    }
}

impl Ctest {
    fn counts(&mut self, text: &str) -> Mark {
        let failed = count::before(text, "tests failed").or(count::before(text, "test failed"));
        let total = count::after(text, "out of ");
        self.outcome.said = failed.is_some() && total.is_some();
        self.outcome.failed = failed;
        self.outcome.total = total;
        self.outcome.passed = total.zip(failed).and_then(|(total, failed)| total.checked_sub(failed));
        Mark::OUTCOME
    }
}
