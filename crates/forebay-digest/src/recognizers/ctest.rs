//! CTest: counts, failing tests and how they failed.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "ctest",
    keeps: "test counts; failing tests with status; total time",
    commands: &["ctest", "make test", "ninja test"],
    scope: Scope::Embedded(&["Test project ", "% tests passed", "Test  #", "Test #"]),
    create: || Box::<Ctest>::default(),
};

/// Number of lines read from the output of a failing test.
const REASON_LINES: u32 = 3;

/// Maximum bytes held of the output of one test, and maximum number of concurrent tests.
const MAX_PRINTED_BYTES: usize = 120;
const MAX_RUNNING: usize = 64;

/// CTest's own lines about a test with `-V`.
const CTEST_PREFIXES: [&str; 4] =
    ["Test command:", "Working Directory:", "Test timeout", "Environment variables"];

#[derive(Debug, Default)]
struct Ctest {
    outcome: TestOutcome,
    in_list: bool,
    /// Number of following lines that are output of a failing test.
    reason_lines: u32,
    skipped: u64,
    disabled: u64,
    /// True until the number before a result shows that it is the last one.
    is_running: bool,
    /// Below the start or the result of a test: its output.
    in_test_output: bool,
    /// Failed and total tests of the last summary, which counts once the time follows.
    counts: Option<(u64, u64)>,
    /// Output of tests with `-V`, by test number, until their results are known.
    output: Vec<(u64, String)>,
}

impl Recognizer for Ctest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if line.text.starts_with("Test project ") {
            self.outcome.start_run();
            (self.is_running, self.in_test_output) = (false, false);
            return Mark::Noise;
        }
        if text.contains(" Test ") && text.contains('#') {
            return self.result(text);
        }
        let number = line.text.strip_prefix("test ").and_then(|number| number.parse::<u64>().ok());
        if text.starts_with("Start ") || number.is_some() {
            (self.reason_lines, self.in_test_output, self.is_running) = (0, true, true);
            return Mark::Noise;
        }
        if !self.is_running
            && let Some(mark) = self.summary_line(text)
        {
            return mark;
        }
        if let Some((number, output)) = numbered(line.text, ": ") {
            return self.add_output(number, output);
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            self.outcome.add_reason(text);
            return Mark::Weight(20);
        }
        Mark::Plain
    }

    fn report(mut self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if !self.outcome.has_summary {
            self.commit_counts();
        }
        let disabled =
            if self.disabled > 0 { format!("; {} disabled", self.disabled) } else { String::new() };
        self.outcome.report("ctest", &disabled)
    }

    fn is_in_test_output(&self) -> bool {
        self.in_test_output
    }
}

impl Ctest {
    /// Handles `2/6 Test #2: resample .....***Failed    0.00 sec`.
    fn result(&mut self, text: &str) -> Mark {
        let Some((finished, rest)) = text.split_once(" Test ") else { return Mark::Plain };
        let Some((finished, all)) =
            finished.trim().split_once('/').filter(|_| rest.trim_start().starts_with('#'))
        else {
            return Mark::Plain;
        };
        let (number, rest) =
            rest.trim_start_matches([' ', '#']).split_once(": ").unwrap_or(("", rest));
        let output = self.take_output(number.parse().unwrap_or(0));
        (self.reason_lines, self.is_running, self.in_test_output) = (0, finished != all, false);
        let Some((before, status)) = rest.split_once("***") else { return Mark::Noise };
        if status.starts_with("Skipped") {
            self.skipped += 1;
            return Mark::Noise;
        }
        if status.starts_with("Not Run (Disabled)") {
            self.disabled += 1;
            return Mark::Noise;
        }
        self.outcome.add_failure(before.split(' ').next().unwrap_or(before));
        self.outcome.add_reason(&failure_status(before, status));
        (self.reason_lines, self.in_test_output) = (REASON_LINES, true);
        if let Some(output) = output {
            self.reason_lines = 0;
            self.outcome.add_reason(&output);
        }
        Mark::DETAIL
    }

    /// Handles lines after the last test.
    fn summary_line(&mut self, text: &str) -> Option<Mark> {
        if text.contains("% tests passed") {
            self.reason_lines = 0;
            let failed = count::before(text, "tests failed").or(count::before(text, "test failed"));
            self.counts = failed.zip(count::after(text, "out of "));
            return Some(Mark::DETAIL);
        }
        if let Some(took) = text.strip_prefix("Total Test time (real) =") {
            self.in_test_output = false;
            self.commit_counts();
            self.outcome.duration = Some(took.trim().to_owned());
            return Some(Mark::NOTABLE);
        }
        if text.starts_with("The following tests ") {
            self.in_test_output = false;
            self.reason_lines = 0;
            self.in_list = text.starts_with("The following tests FAILED");
            return Some(Mark::DETAIL);
        }
        if let Some((_, name)) = numbered(text, " - ").filter(|_| self.in_list) {
            self.outcome.set_full_name(name.split(' ').next().unwrap_or(name));
            return Some(Mark::DETAIL);
        }
        self.in_list = false;
        None
    }

    /// Accepts the summary, because the time below it shows that CTest printed it.
    fn commit_counts(&mut self) {
        let Some((failed, total)) = self.counts.take() else { return };
        self.outcome.start_summary();
        self.outcome.failed = Some(failed);
        self.outcome.total = Some(total);
        self.outcome.skipped = Some(std::mem::take(&mut self.skipped));
        self.outcome.passed = None;
        self.outcome.derive_passed();
    }

    /// Handles `2: text`, the output of the second test with `-V`.
    fn add_output(&mut self, number: u64, text: &str) -> Mark {
        if text.is_empty() || CTEST_PREFIXES.iter().any(|start| text.starts_with(start)) {
            return Mark::Plain;
        }
        if let Some((_, output)) = self.output.iter_mut().find(|(known, _)| *known == number) {
            if output.len() < MAX_PRINTED_BYTES {
                output.push_str("; ");
                output.push_str(text);
            }
        } else if self.output.len() < MAX_RUNNING {
            self.output.push((number, text.to_owned()));
        }
        Mark::Plain
    }

    fn take_output(&mut self, number: u64) -> Option<String> {
        let at = self.output.iter().position(|(known, _)| *known == number)?;
        Some(self.output.swap_remove(at).1)
    }
}

/// Returns `Subprocess aborted` of `crash ....Subprocess aborted***Exception:   0.01 sec`, else the
/// status after `***`.
fn failure_status(before: &str, status: &str) -> String {
    let status = status.split("  ").next().unwrap_or(status).trim();
    match before.rsplit_once("..").map(|(_, ended)| ended.trim_matches(['.', ' '])) {
        Some(ended) if !ended.is_empty() => ended.to_owned(),
        _ => status.to_owned(),
    }
}

/// Splits a line into its leading number and the rest.
fn numbered<'a>(text: &'a str, between: &str) -> Option<(u64, &'a str)> {
    let (number, rest) = text.split_once(between)?;
    Some((number.trim().parse().ok()?, rest))
}
