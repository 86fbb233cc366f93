//! `cargo test` and `cargo nextest`: totals over all test binaries, failing tests with their
//! messages.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "cargo test",
    keeps: "passed, failed and ignored over all test binaries; failing tests; panics with location",
    commands: &["cargo test", "cargo nextest", "cargo t"],
    scope: Scope::Embedded(&[
        "test result: ",
        "panicked at ",
        "     Summary [",
        " ... ok",
        " ... FAILED",
        // The announcement says how many results follow.
        "running 0",
        "running 1",
        "running 2",
        "running 3",
        "running 4",
        "running 5",
        "running 6",
        "running 7",
        "running 8",
        "running 9",
    ]),
    create: || Box::<CargoTest>::default(),
};

/// Built once, because most lines have to be searched.
static PANIC: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("panicked at "));

/// Maximum number of names held from the list at the end of a test binary.
const MAX_LISTED: usize = 500;

/// Prefixes of cargo's own lines between test binaries.
const BETWEEN_BINARIES: [&str; 3] = ["error: ", "     Running ", "   Doc-tests "];

#[derive(Debug, Default)]
struct CargoTest {
    outcome: TestOutcome,
    binaries: u64,
    /// Tests were run, so a panic belongs to one of them.
    has_run_tests: bool,
    /// Number of tests the test binary announced; output of tests rarely matches it.
    announced_tests: Option<u64>,
    section: Section,
    doubt: Doubt,
    /// Failing tests as listed at the end of the test binary.
    listed: Vec<String>,
    /// Number of following lines that say why a test panicked.
    reason_lines: u32,
    /// A test printed right behind its name, so results before the summary may be output, too.
    has_mixed_output: bool,
    /// nextest printed its summary; the states it lists from now on are final.
    has_nextest_summary: bool,
}

/// Whether a result was taken for output of a test.
#[derive(Debug, Default, PartialEq, Eq)]
enum Doubt {
    #[default]
    None,
    /// One in the output of the current test binary, which may still end.
    InBinary,
    /// The binary did not end, so it was the result of another run.
    OtherRun,
}

/// Position in the output of a test binary.
#[derive(Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Tests,
    /// Below `---- name stdout ----`: output of a test.
    Printed,
    /// The list of names below the last `failures:`.
    List,
}

impl Recognizer for CargoTest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        // With `--nocapture` the next test may follow immediately.
        if self.reason_lines > 0 && text.starts_with("test ") && text.contains(" ... ") {
            self.reason_lines = 0;
        }
        if let Some(mark) = self.heading(line.text) {
            return mark;
        }
        if self.reason_lines > 0 {
            return self.after_panic(text);
        }
        if let Some(at) = PANIC.find(text.as_bytes()) {
            return self.panic(&text[..at], &text[at + PANIC.needle().len()..]);
        }
        if text.len() == line.text.len() {
            return self.test_binary(text, line.number);
        }
        match self.section {
            Section::Printed if self.announced_tests.is_some() => Mark::Plain,
            Section::List if line.text.starts_with("    ") => self.list(text),
            _ => self.nextest(text),
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let is_mixed = self.has_mixed_output && !self.outcome.has_summary;
        if !self.has_run_tests || self.doubt != Doubt::None || is_mixed {
            return None;
        }
        let scope = match self.binaries {
            0 | 1 => String::new(),
            _ if self.outcome.has_several_runs() => String::new(),
            count => format!(" in {count} test binaries"),
        };
        self.outcome.report("cargo test", &scope)
    }

    fn is_in_test_output(&self) -> bool {
        // Everything between the announcement and the result is output of tests.
        self.section == Section::Printed || self.announced_tests.is_some()
    }
}

impl CargoTest {
    /// Handles lines that start a section.
    fn heading(&mut self, line: &str) -> Option<Mark> {
        if let Some(number) = line.strip_prefix("running ")
            && (number.ends_with(" tests") || number.ends_with(" test"))
        {
            // Output of a test may look like a test binary, but is nested in one.
            if self.section != Section::Printed {
                (self.announced_tests, self.has_run_tests) = (count::first_number(number), true);
                self.outcome.start_section();
            }
            return Some(Mark::Noise);
        }
        if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            self.section = Section::Printed;
            self.reason_lines = 0;
            self.outcome.add_failure(name);
            return Some(Mark::Noise);
        }
        if line.starts_with("--- STDOUT: ") || line.starts_with("--- STDERR: ") {
            // Older versions of nextest do not indent the output of tests.
            self.section = Section::Printed;
            return Some(Mark::Noise);
        }
        if line == "failures:" && (self.announced_tests.is_some() || self.section == Section::Tests)
        {
            self.section = Section::List;
            self.reason_lines = 0;
            self.listed.clear();
            return Some(Mark::Noise);
        }
        if line.starts_with("    Finished ") && self.section != Section::Printed {
            // cargo was started again.
            self.outcome.start_run();
            (self.has_nextest_summary, self.announced_tests) = (false, None);
            return Some(Mark::Plain);
        }
        if self.section != Section::Printed
            && BETWEEN_BINARIES.iter().any(|start| line.starts_with(start))
        {
            // The test binary ended without a result.
            if self.doubt == Doubt::InBinary {
                self.doubt = Doubt::OtherRun;
            }
            (self.announced_tests, self.section) = (None, Section::Tests);
            self.has_run_tests |=
                !line.starts_with("error: ") && !line.starts_with("     Running `");
            return Some(Mark::Plain);
        }
        None
    }

    fn panic(&mut self, thread: &str, location: &str) -> Mark {
        self.reason_lines = 5;
        // Below the name of a test, any thread belongs to that test.
        if self.has_run_tests
            && (self.section != Section::Printed || self.announced_tests.is_none())
        {
            self.outcome.add_failure(thread.split('\'').nth(1).unwrap_or("main"));
        }
        if !self.has_run_tests {
            return Mark::FAILURE;
        }
        self.outcome.set_location(location.trim_end_matches(':'));
        Mark::DETAIL
    }

    fn after_panic(&mut self, text: &str) -> Mark {
        self.reason_lines -= 1;
        let over = ["note: ", "stack backtrace", "----"].iter().any(|end| text.starts_with(end));
        if over || text.is_empty() {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        if !self.has_run_tests {
            return Mark::REASON;
        }
        self.outcome.add_reason(text);
        Mark::DETAIL
    }

    /// Handles a line of a test binary, which is never indented.
    fn test_binary(&mut self, text: &str, number: u64) -> Mark {
        if let Some(result) = text.strip_prefix("test result: ") {
            return self.result_of_binary(result, number);
        }
        if self.section == Section::Printed {
            return self.test_message(text);
        }
        let Some(test) = text.strip_prefix("test ") else { return Mark::Plain };
        if test.ends_with(" ... ok") {
            self.has_run_tests = true;
            return Mark::Noise;
        }
        match test.rsplit_once(" ... ") {
            Some((name, "FAILED")) => {
                self.has_run_tests = true;
                self.outcome.add_failure(name.strip_suffix(" - should panic").unwrap_or(name));
                Mark::DETAIL
            }
            Some((name, status)) if status.starts_with("Error: ") => {
                // With `--nocapture` the returned error precedes the status.
                self.outcome.add_failure(name);
                self.outcome.add_reason(status);
                Mark::DETAIL
            }
            Some((_, status))
                if status == "ok"
                    || status.starts_with("ok <")
                    || status.starts_with("ignored") =>
            {
                self.has_run_tests = true;
                Mark::Noise
            }
            Some((_, output)) => {
                self.has_mixed_output |= !output.is_empty() && !output.starts_with("bench: ");
                Mark::Plain
            }
            None => Mark::Plain,
        }
    }

    /// Handles the message of a test that did not panic: a returned error, or a missing panic.
    fn test_message(&mut self, text: &str) -> Mark {
        let starts = ["Error: ", "note: test did not panic", "note: panic did not contain"];
        if !starts.iter().any(|start| text.starts_with(start)) {
            return Mark::Plain;
        }
        self.outcome.add_reason(text.strip_prefix("note: ").unwrap_or(text));
        Mark::DETAIL
    }

    fn list(&mut self, name: &str) -> Mark {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(name.to_owned());
        }
        Mark::Noise
    }

    /// Accepts a result only if it accounts for the announced tests; otherwise a test printed it.
    fn result_of_binary(&mut self, text: &str, number: u64) -> Mark {
        let counted = ["passed", "failed", "ignored", "measured"]
            .map(|word| count::before(text, word).unwrap_or(0));
        let is_own = match self.announced_tests {
            Some(announced_tests) => counted.iter().sum::<u64>() == announced_tests,
            // Without an announcement it counts only if the output consists of results.
            None if self.has_run_tests => self.section != Section::Printed,
            None => number <= self.binaries + 1,
        };
        if self.doubt != Doubt::OtherRun {
            let is_rejected = !is_own && self.announced_tests.is_some();
            self.doubt = if is_rejected { Doubt::InBinary } else { Doubt::None };
        }
        if !is_own {
            return Mark::Plain;
        }
        let [passed, failed, ignored, _] = counted;
        self.binaries += 1;
        (self.has_run_tests, self.announced_tests, self.section) = (true, None, Section::Tests);
        self.add_counts(passed, failed, ignored);
        self.reconcile_failures(failed);
        if failed > 0 { Mark::OUTCOME } else { Mark::NOTABLE }
    }

    /// Drops failing tests that are not in the list, because a test printed them.
    fn reconcile_failures(&mut self, failed: u64) {
        let listed = std::mem::take(&mut self.listed);
        if listed.len() as u64 != failed {
            return;
        }
        self.outcome.retain_section_failures(|name| listed.iter().any(|listed| listed == name));
        for name in &listed {
            self.outcome.set_full_name(name);
        }
    }

    fn add_counts(&mut self, passed: u64, failed: u64, skipped: u64) {
        self.outcome.has_summary = true;
        TestOutcome::add_count(&mut self.outcome.passed, Some(passed));
        TestOutcome::add_count(&mut self.outcome.failed, Some(failed));
        TestOutcome::add_count(&mut self.outcome.skipped, Some(skipped));
    }

    /// Handles `        FAIL [   0.004s] app tests::bad`; nextest indents all of its lines.
    fn nextest(&mut self, text: &str) -> Mark {
        if text.starts_with("test result: ") {
            // nextest repeats the output of each failing test.
            return Mark::Noise;
        }
        let Some((state, rest)) = text.split_once(" [") else { return Mark::Plain };
        if state == "Summary" {
            return self.nextest_summary(rest);
        }
        let Some((_, name)) = rest.split_once("] ") else { return Mark::Plain };
        let name = name.trim();
        self.section = Section::Tests;
        // Before the summary a retry may still follow.
        let final_state = if self.has_nextest_summary { without_attempt(state) } else { state };
        match final_state {
            "PASS" | "SLOW" => Mark::Noise,
            "FAIL" | "TIMEOUT" | "ABORT" | "LEAK-FAIL" | "SIGSEGV" | "SIGABRT" | "SIGKILL" => {
                self.has_run_tests = true;
                self.outcome.add_failure(name.rsplit(' ').next().unwrap_or(name));
                if final_state == "TIMEOUT" {
                    self.outcome.add_reason("timed out");
                }
                Mark::DETAIL
            }
            _ => Mark::Plain,
        }
    }

    fn nextest_summary(&mut self, text: &str) -> Mark {
        (self.has_run_tests, self.has_nextest_summary) = (true, true);
        let count = |word| count::before(text, word).unwrap_or(0);
        self.add_counts(count("passed"), count("failed"), count("skipped"));
        let timed_out = count("timed out");
        if timed_out > 0 {
            self.outcome.other_counts.push((timed_out, "timed out"));
            self.outcome.has_other_failure = true;
        }
        if count("failed") + timed_out > 0 { Mark::OUTCOME } else { Mark::NOTABLE }
    }
}

/// Strips the attempt from `TRY 3 FAIL`.
fn without_attempt(state: &str) -> &str {
    state
        .strip_prefix("TRY ")
        .and_then(|rest| rest.split_once(' '))
        .map_or(state, |(_, state)| state)
}
