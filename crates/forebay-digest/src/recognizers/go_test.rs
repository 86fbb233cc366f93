//! `go test`: packages that passed and failed, failing tests with their messages.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::hash::HashSet;
use crate::lines::Line;
use crate::location;
use crate::tally::{TestOutcome, ValueCounts};

pub(super) const FORMAT: Format = Format {
    name: "go test",
    keeps: "packages that passed and failed; failing tests and subtests; messages with location; panics",
    commands: &["go test", "gotestsum"],
    scope: Scope::Embedded(&["--- FAIL: ", "--- PASS: ", "FAIL\t", "ok  \t", "=== RUN "]),
    create: || Box::<GoTest>::default(),
};

/// Above this number of running tests, ended tests are not matched with started ones.
const MAX_RUNNING: usize = 5_000;

/// Maximum number of messages held for tests that have not ended.
const MAX_MESSAGES: usize = 200;

#[derive(Debug, Default)]
struct GoTest {
    tally: GoTally,
    /// With `-v`: tests that have started and not ended.
    running: HashSet<String>,
    /// The test that prints at the moment.
    printing: String,
    /// Messages of tests that are not yet known to fail.
    pending: Vec<(String, String)>,
    in_failure: bool,
    /// A panic message, until a stack trace proves that it was not printed by a test.
    panic: Option<String>,
    /// A test was started again before it ended, so another run is in between.
    is_doubtful: bool,
    /// The panic was real, so the test binary has ended.
    has_panicked: bool,
    previous_line: PreviousLine,
}

/// Whether the previous line ends a test binary.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum PreviousLine {
    #[default]
    Other,
    EndsBinary,
}

impl Recognizer for GoTest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_start();
        let previous_line = std::mem::replace(&mut self.previous_line, classify_line(line.text));
        if let Some(started) = text.strip_prefix("=== ") {
            return self.started(started);
        }
        if let Some((state, name)) =
            text.strip_prefix("--- ").and_then(|rest| rest.split_once(": "))
        {
            return self.ended(state, name.split(' ').next().unwrap_or(name));
        }
        if text.starts_with("panic: ") {
            self.panic.get_or_insert_with(|| text.to_owned());
            return if self.running.is_empty() { Mark::FAILURE } else { Mark::REASON };
        }
        if line.text.starts_with("goroutine ") && line.text.contains('[') {
            self.panicked();
            return Mark::Plain;
        }
        if self.may_end_package(line.text, previous_line)
            && let Some(mark) = self.tally.package(line.text)
        {
            self.end_binary();
            return mark;
        }
        self.message(line.text)
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.is_doubtful { None } else { self.tally.report() }
    }

    fn is_in_test_output(&self) -> bool {
        !self.running.is_empty()
    }
}

impl GoTest {
    /// Handles `=== RUN   TestA`, `=== CONT  TestA`, `=== NAME  TestA`.
    fn started(&mut self, text: &str) -> Mark {
        let (what, name) = text.split_once(' ').unwrap_or((text, ""));
        let name = name.trim();
        self.in_failure = false;
        if matches!(what, "RUN" | "CONT" | "NAME") {
            name.clone_into(&mut self.printing);
        }
        if what == "RUN" && self.running.len() < MAX_RUNNING {
            self.is_doubtful |= !self.running.insert(name.to_owned());
        }
        Mark::Noise
    }

    /// Handles the end of a test; with `-v`, one that was not started was printed by another test.
    fn ended(&mut self, state: &str, name: &str) -> Mark {
        let is_known = self.running.len() == MAX_RUNNING
            || self.running.remove(name)
            || self.running.is_empty();
        if !is_known {
            return Mark::Plain;
        }
        self.in_failure = state == "FAIL";
        if !self.tally.ended(state, name) {
            return Mark::Plain;
        }
        let message = self
            .pending
            .iter()
            .position(|(test, _)| test == name)
            .map(|at| self.pending.swap_remove(at).1);
        match (state, message) {
            ("FAIL", message) => {
                if let Some(message) = message {
                    self.tally.explain(&message);
                }
                Mark::DETAIL
            }
            ("SKIP", _) => Mark::NOTABLE,
            _ => Mark::Noise,
        }
    }

    /// Returns true if a package result may follow here; a test may print a similar line.
    fn may_end_package(&self, line: &str, previous_line: PreviousLine) -> bool {
        let has_time = line.ends_with('s') && line.starts_with("FAIL\t");
        match previous_line {
            PreviousLine::EndsBinary => true,
            PreviousLine::Other if !self.running.is_empty() => false,
            PreviousLine::Other if has_time => self.has_panicked,
            PreviousLine::Other => !(line.starts_with("ok ") && self.tally.has_failed()),
        }
    }

    /// Handles the stack trace of a panic, which ends the test binary.
    fn panicked(&mut self) {
        let Some(panic) = self.panic.take() else { return };
        if !self.in_failure && self.running.remove(&self.printing) {
            self.tally.ended("FAIL", &self.printing);
        }
        (self.in_failure, self.has_panicked) = (true, true);
        self.running.clear();
        self.tally.outcome.add_reason(&panic);
    }

    fn end_binary(&mut self) {
        self.in_failure = false;
        self.running.clear();
        self.pending.clear();
        (self.panic, self.has_panicked) = (None, false);
    }

    /// Handles `    queue_test.go:41: message`, which may precede or follow the result of its test.
    fn message(&mut self, line: &str) -> Mark {
        let text = line.trim();
        if !line.starts_with([' ', '\t']) || !location::has_location(text) {
            return Mark::Plain;
        }
        if self.in_failure {
            if !text.contains("/src/testing/") && !text.contains("/src/runtime/") {
                self.tally.explain(text);
            }
        } else if let Some((_, message)) =
            self.pending.iter_mut().find(|(test, _)| *test == self.printing)
        {
            // The last message of a test is the reason for its failure.
            text.clone_into(message);
        } else if self.pending.len() < MAX_MESSAGES {
            self.pending.push((self.printing.clone(), text.to_owned()));
        }
        Mark::Weight(16)
    }
}

/// Returns whether a line precedes a package result.
fn classify_line(line: &str) -> PreviousLine {
    let starts = ["exit status ", "coverage: ", "signal: "];
    let is_end =
        matches!(line, "FAIL" | "PASS") || starts.iter().any(|start| line.starts_with(start));
    if is_end { PreviousLine::EndsBinary } else { PreviousLine::Other }
}

/// Results of tests and packages, for both output formats of `go test`.
#[derive(Debug, Default)]
pub(super) struct GoTally {
    pub(super) outcome: TestOutcome,
    /// Tests passed, failed and skipped since the last package result.
    open: [u64; 3],
    /// True if some tests are subtests.
    has_subtests: bool,
    packages_ok: ValueCounts,
    packages_failed: ValueCounts,
    without_tests: u64,
}

impl GoTally {
    /// Counts the result of a test; returns false for an unknown state.
    pub(super) fn ended(&mut self, state: &str, name: &str) -> bool {
        let [passed, failed, skipped] = &mut self.open;
        match state {
            "PASS" | "pass" => *passed += 1,
            "SKIP" | "skip" => *skipped += 1,
            "FAIL" | "fail" => {
                *failed += 1;
                self.outcome.add_failure(name);
            }
            _ => return false,
        }
        self.has_subtests |= name.contains('/');
        true
    }

    /// Returns true if a test of the current package has failed.
    fn has_failed(&self) -> bool {
        self.open[1] > 0
    }

    /// Adds `queue_test.go:41: message` to the last failure; of a stack trace only the location.
    pub(super) fn explain(&mut self, text: &str) {
        if let Some(located_message) = location::located_message(text) {
            self.outcome
                .set_location(&format!("{}:{}", located_message.path, located_message.line));
            if !located_message.text.starts_with("+0x") {
                self.outcome.add_reason(located_message.text);
            }
        }
    }

    /// Parses `ok  \tpackage\t0.1s`, `FAIL\tpackage [build failed]`,
    /// `?   \tpackage\t[no test files]`.
    pub(super) fn package(&mut self, line: &str) -> Option<Mark> {
        let (state, rest) = line.split_once('\t')?;
        let name = rest.split(['\t', ' ']).next().unwrap_or(rest);
        let ended = match state.trim_end() {
            "ok" => "pass",
            "FAIL" => "fail",
            "?" => "skip",
            _ => return None,
        };
        self.package_ended(ended, name);
        Some(if ended == "fail" { Mark::OUTCOME } else { Mark::Noise })
    }

    pub(super) fn package_ended(&mut self, state: &str, name: &str) {
        if self.packages_ok.count_of(name) + self.packages_failed.count_of(name) > 0 {
            // A run tests each package once, so this is a new run.
            self.outcome.start_run();
            (self.packages_ok, self.packages_failed) =
                (ValueCounts::default(), ValueCounts::default());
            self.without_tests = 0;
        }
        match state {
            "pass" => self.packages_ok.add(name),
            "fail" => self.packages_failed.add(name),
            _ => self.without_tests += 1,
        }
        self.outcome.has_summary |= state != "skip";
        self.count_open();
    }

    fn count_open(&mut self) {
        let [passed, failed, skipped] = std::mem::take(&mut self.open);
        TestOutcome::add_count(&mut self.outcome.passed, Some(passed).filter(|count| *count > 0));
        TestOutcome::add_count(&mut self.outcome.failed, Some(failed));
        TestOutcome::add_count(&mut self.outcome.skipped, Some(skipped));
    }

    pub(super) fn report(mut self) -> Option<Report> {
        self.count_open();
        let has_failed = !self.packages_failed.is_empty();
        self.outcome.has_other_failure |= has_failed;
        let scope = if self.outcome.has_several_runs() { String::new() } else { self.scope() };
        let mut report = self.outcome.report("go test", &scope)?;
        if has_failed {
            report.add(80, format!("in packages: {}", self.packages_failed.names(8)));
        }
        Some(report)
    }

    fn scope(&self) -> String {
        let has_subtests = if self.has_subtests { " (with subtests)" } else { "" };
        let counted_packages = |packages: &ValueCounts| packages.distinct_with_noun("package");
        let (ok, failed) =
            (counted_packages(&self.packages_ok), counted_packages(&self.packages_failed));
        let without_tests = if self.without_tests > 0 {
            format!(", {} without tests", self.without_tests)
        } else {
            String::new()
        };
        format!("{has_subtests}; {ok} ok, {failed} failed{without_tests}")
    }
}
