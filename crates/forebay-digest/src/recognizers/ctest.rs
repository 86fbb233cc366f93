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

/// Lines of what a failing test printed that are read.
const REASON_LINES: u32 = 3;

/// So much is held of what a test printed, and of so many that run at once.
const PRINTED_BYTES: usize = 120;
const AT_ONCE: usize = 64;

/// What CTest itself says of a test that it runs with `-V`.
const OF_CTEST: [&str; 4] =
    ["Test command:", "Working Directory:", "Test timeout", "Environment variables"];

#[derive(Debug, Default)]
struct Ctest {
    outcome: Outcome,
    in_list: bool,
    /// So many lines of what a failing test printed are still to be read.
    reason_lines: u32,
    skipped: u64,
    disabled: u64,
    /// Some tests have not ended yet, by the number before each that has.
    is_running: bool,
    /// Below the start or the result of a test: what it printed.
    within_test: bool,
    /// Failed and all, as summed up last; it counts once the time follows.
    counts: Option<(u64, u64)>,
    /// What tests printed with `-V`, by their number, until it is known how they ended.
    printed: Vec<(u64, String)>,
}

impl Recognizer for Ctest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if line.text.starts_with("Test project ") {
            self.outcome.start_run();
            (self.is_running, self.within_test) = (false, false);
            return Mark::Noise;
        }
        if text.contains(" Test ") && text.contains('#') {
            return self.result(text);
        }
        let number = line.text.strip_prefix("test ").and_then(|number| number.parse::<u64>().ok());
        if text.starts_with("Start ") || number.is_some() {
            (self.reason_lines, self.within_test, self.is_running) = (0, true, true);
            return Mark::Noise;
        }
        if !self.is_running
            && let Some(mark) = self.ending(text)
        {
            return mark;
        }
        if let Some((number, printed)) = numbered(line.text, ": ") {
            return self.printed(number, printed);
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            self.outcome.because(text);
            return Mark::Weight(20);
        }
        Mark::Plain
    }

    fn report(mut self: Box<Self>, _end: &End) -> Option<Report> {
        if !self.outcome.said {
            self.settle();
        }
        let disabled =
            if self.disabled > 0 { format!("; {} disabled", self.disabled) } else { String::new() };
        self.outcome.report("ctest", &disabled)
    }

    fn is_within_test(&self) -> bool {
        self.within_test
    }
}

impl Ctest {
    /// `2/6 Test #2: resample .....***Failed    0.00 sec`.
    fn result(&mut self, text: &str) -> Mark {
        let Some((done, rest)) = text.split_once(" Test ") else { return Mark::Plain };
        let Some((done, all)) =
            done.trim().split_once('/').filter(|_| rest.trim_start().starts_with('#'))
        else {
            return Mark::Plain;
        };
        let (number, rest) =
            rest.trim_start_matches([' ', '#']).split_once(": ").unwrap_or(("", rest));
        let printed = self.take_printed(number.parse().unwrap_or(0));
        (self.reason_lines, self.is_running, self.within_test) = (0, done != all, false);
        let Some((before, how)) = rest.split_once("***") else { return Mark::Noise };
        if how.starts_with("Skipped") {
            self.skipped += 1;
            return Mark::Noise;
        }
        if how.starts_with("Not Run (Disabled)") {
            self.disabled += 1;
            return Mark::Noise;
        }
        self.outcome.fail(before.split(' ').next().unwrap_or(before));
        self.outcome.because(&how_it_ended(before, how));
        (self.reason_lines, self.within_test) = (REASON_LINES, true);
        if let Some(printed) = printed {
            self.reason_lines = 0;
            self.outcome.because(&printed);
        }
        Mark::DETAIL
    }

    /// What follows when no test runs any more.
    fn ending(&mut self, text: &str) -> Option<Mark> {
        if text.contains("% tests passed") {
            self.reason_lines = 0;
            let failed = count::before(text, "tests failed").or(count::before(text, "test failed"));
            self.counts = failed.zip(count::after(text, "out of "));
            return Some(Mark::DETAIL);
        }
        if let Some(took) = text.strip_prefix("Total Test time (real) =") {
            self.within_test = false;
            self.settle();
            self.outcome.took = Some(took.trim().to_owned());
            return Some(Mark::NOTABLE);
        }
        if text.starts_with("The following tests ") {
            self.within_test = false;
            self.reason_lines = 0;
            self.in_list = text.starts_with("The following tests FAILED");
            return Some(Mark::DETAIL);
        }
        if let Some((_, name)) = numbered(text, " - ").filter(|_| self.in_list) {
            self.outcome.rename(name.split(' ').next().unwrap_or(name));
            return Some(Mark::DETAIL);
        }
        self.in_list = false;
        None
    }

    /// The summary is CTest's own: the time stands below it.
    fn settle(&mut self) {
        let Some((failed, total)) = self.counts.take() else { return };
        self.outcome.sum_up();
        self.outcome.failed = Some(failed);
        self.outcome.total = Some(total);
        self.outcome.skipped = Some(std::mem::take(&mut self.skipped));
        self.outcome.passed = None;
        self.outcome.work_out_passed();
    }

    /// `2: text`, as `-V` shows what the second test prints.
    fn printed(&mut self, number: u64, text: &str) -> Mark {
        if text.is_empty() || OF_CTEST.iter().any(|start| text.starts_with(start)) {
            return Mark::Plain;
        }
        if let Some((_, printed)) = self.printed.iter_mut().find(|(known, _)| *known == number) {
            if printed.len() < PRINTED_BYTES {
                printed.push_str("; ");
                printed.push_str(text);
            }
        } else if self.printed.len() < AT_ONCE {
            self.printed.push((number, text.to_owned()));
        }
        Mark::Plain
    }

    fn take_printed(&mut self, number: u64) -> Option<String> {
        let at = self.printed.iter().position(|(known, _)| *known == number)?;
        Some(self.printed.swap_remove(at).1)
    }
}

/// `Subprocess aborted` of `crash ....Subprocess aborted***Exception:   0.01 sec`, else what follows.
fn how_it_ended(before: &str, how: &str) -> String {
    let how = how.split("  ").next().unwrap_or(how).trim();
    match before.rsplit_once("..").map(|(_, ended)| ended.trim_matches(['.', ' '])) {
        Some(ended) if !ended.is_empty() => ended.to_owned(),
        _ => how.to_owned(),
    }
}

/// The number at the start of a line, and what follows it.
fn numbered<'a>(text: &'a str, between: &str) -> Option<(u64, &'a str)> {
    let (number, rest) = text.split_once(between)?;
    Some((number.trim().parse().ok()?, rest))
}
