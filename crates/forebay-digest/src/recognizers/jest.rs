//! Jest, Vitest, Mocha and Node's test runner: counts, failing tests with reason and location.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "jest, vitest, mocha",
    keeps: "counts of tests and files; failing tests with expected and received value and first own location",
    commands: &[
        "jest",
        "vitest",
        "mocha",
        "npm test",
        "yarn test",
        "pnpm test",
        "ava",
        "node --test",
    ],
    scope: Scope::Embedded(&[
        "Test Suites: ",
        " Test Files  ",
        " passing (",
        "  ● ",
        " FAIL  ",
        "ℹ tests ",
    ]),
    create: || Box::<Jest>::default(),
};

/// Headings that Jest formats like failing tests.
const NON_TEST_HEADINGS: [&str; 4] = ["Console", "Validation", "Deprecation", "Cannot log after"];

#[derive(Debug, Default)]
struct Jest {
    outcome: TestOutcome,
    files: Option<String>,
    /// Number of following lines that may say why a test failed.
    reason_lines: u32,
    /// A test name that spans several lines, as read so far.
    name: Option<String>,
    /// Whether the current lines are output of a test.
    output: TestOutput,
    previous_line: PreviousLine,
    /// `expect(received).toBe(expected)`, used as the reason if there is no other.
    matcher: String,
    /// With Vitest: whether its list of failures has started.
    vitest_lists_failures: Option<bool>,
}

/// Output of a test, and how its end is recognized.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TestOutput {
    #[default]
    Nothing,
    /// Below `stdout | file > test`, until a blank line.
    Paragraph,
    /// Below `● Console`, until a line with less indentation.
    Indented,
}

/// The previous line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum PreviousLine {
    #[default]
    Empty,
    /// A line of Mocha's summary.
    Counts,
    /// Vitest's summary of files.
    Files,
    Other,
}

impl Recognizer for Jest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if self.continues_output(line.text) {
            return Mark::Plain;
        }
        let previous_line = self.previous_line;
        self.previous_line =
            if text.is_empty() { PreviousLine::Empty } else { PreviousLine::Other };
        if let Some(mark) = self.summary(line.text, previous_line) {
            self.reason_lines = 0;
            return mark;
        }
        if let Some(name) = self.name.take() {
            return self.continue_name(name, text);
        }
        if let Some(name) = numbered(line.text).filter(|_| self.outcome.failed.is_some()) {
            return self.continue_name(String::new(), name);
        }
        if let Some(mark) = self.heading(line.text) {
            return mark;
        }
        if text.starts_with("✓ ") || text.starts_with("✔ ") || text.starts_with("PASS ") {
            return Mark::Noise;
        }
        if self.reason_lines == 0 || text.is_empty() {
            return Mark::Plain;
        }
        self.reason_lines -= 1;
        self.reason(text)
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let several = self.outcome.has_several_runs();
        let files = self.files.as_ref().filter(|_| !several);
        let scope = files.map(|files| format!("; files: {files}")).unwrap_or_default();
        self.outcome.report("tests", &scope)
    }

    fn is_in_test_output(&self) -> bool {
        self.output != TestOutput::Nothing
    }
}

impl Jest {
    fn continues_output(&mut self, line: &str) -> bool {
        let is_over = match self.output {
            TestOutput::Nothing => true,
            TestOutput::Paragraph => line.trim().is_empty(),
            TestOutput::Indented => !line.is_empty() && !line.starts_with("    "),
        };
        if is_over {
            self.output = TestOutput::Nothing;
        }
        !is_over
    }

    /// Handles names of failing tests and headings of test output.
    fn heading(&mut self, line: &str) -> Option<Mark> {
        let text = line.trim();
        if text.starts_with("stdout | ") || text.starts_with("stderr | ") {
            self.output = TestOutput::Paragraph;
            self.reason_lines = 0;
            return Some(Mark::Plain);
        }
        if text.starts_with("RUN  v") {
            self.vitest_lists_failures = Some(false);
            return Some(Mark::Plain);
        }
        if text.starts_with('⎯') && text.contains(" Failed ") {
            self.vitest_lists_failures = Some(true);
            return Some(Mark::Plain);
        }
        if let Some(name) = line.strip_prefix("  ● ") {
            return Some(self.jest_name(name));
        }
        if text == "✖ failing tests:" {
            // The following list repeats the failures without their groups.
            self.outcome.retain_section_failures(|_| false);
            return Some(Mark::Plain);
        }
        if let Some(name) = text.strip_prefix("✖ ") {
            return Some(self.node_name(name));
        }
        let name =
            text.strip_prefix("FAIL  ").filter(|_| self.vitest_lists_failures != Some(false))?;
        if !name.contains(" > ") && !name.ends_with(']') {
            // Jest prints the name of a failing file this way.
            return Some(Mark::Plain);
        }
        self.open_failure(name);
        Some(Mark::DETAIL)
    }

    fn jest_name(&mut self, name: &str) -> Mark {
        self.reason_lines = 0;
        if name == "Console" {
            self.output = TestOutput::Indented;
        }
        if NON_TEST_HEADINGS.iter().any(|other| name.starts_with(other)) {
            return Mark::Plain;
        }
        self.open_failure(name);
        Mark::DETAIL
    }

    /// Handles `bad (1.58ms)`; tests marked as todo or skipped are allowed to fail.
    fn node_name(&mut self, name: &str) -> Mark {
        self.reason_lines = 0;
        let (name, directive) = name.split_once(" # ").unwrap_or((name, ""));
        if directive.starts_with(concat!("TO", "DO")) || directive.starts_with("SKIP") {
            return Mark::Plain;
        }
        // Other tools mark problems the same way, but without the time.
        let timed = name.strip_suffix("ms)").and_then(|name| name.rsplit_once(" ("));
        let Some((name, _)) = timed else { return Mark::Plain };
        self.open_failure(name);
        Mark::DETAIL
    }

    fn open_failure(&mut self, name: &str) {
        self.outcome.add_failure(name);
        self.matcher.clear();
        self.reason_lines = 40;
    }

    /// Joins a name of Mocha, which prints the suites above the test and a colon after it.
    fn continue_name(&mut self, mut name: String, part: &str) -> Mark {
        if !name.is_empty() && !part.is_empty() {
            name.push_str(" › ");
        }
        name.push_str(part.trim_end_matches(':'));
        if part.ends_with(':') || part.is_empty() {
            self.open_failure(&name);
        } else {
            self.name = Some(name);
        }
        Mark::DETAIL
    }

    fn reason(&mut self, text: &str) -> Mark {
        if text.contains("node_modules") || text.contains("node:internal") {
            return Mark::Noise;
        }
        let is_frame = text.starts_with("at ") || text.starts_with('❯');
        if let Some(location) =
            location::find_first(text).filter(|found| is_frame && is_script(found))
        {
            self.outcome.set_location(&location);
            if !self.outcome.has_reason() {
                self.outcome.add_reason(&std::mem::take(&mut self.matcher));
            }
            return Mark::Weight(16);
        }
        if text.starts_with("expect(") {
            text.clone_into(&mut self.matcher);
            return Mark::Plain;
        }
        if self.outcome.reason_is_incomplete() {
            self.outcome.add_reason(text);
            return Mark::DETAIL;
        }
        let starts = ["Expected", "Received", "expected ", "Cannot find", "thrown:"];
        let says_why = starts.iter().any(|start| text.starts_with(start))
            && text.contains([':', ' '])
            && !text.ends_with("ed:");
        let label = text.split(':').next().unwrap_or_default();
        let is_error = label.contains("Error") && text.contains(": ");
        // Jest prints the message of an exception right below the name.
        let is_thrown = self.reason_lines == 39 && !is_source(text);
        if (is_error || is_thrown) && !self.outcome.has_reason() || says_why {
            self.outcome.add_reason(text);
            return Mark::DETAIL;
        }
        Mark::Plain
    }

    fn summary(&mut self, line: &str, previous_line: PreviousLine) -> Option<Mark> {
        let text = line.trim();
        let files = line
            .strip_prefix("Test Suites:")
            .or_else(|| line.trim_start().strip_prefix("Test Files "));
        if let Some(files) = files {
            self.files = Some(files.trim().to_owned());
            self.outcome.has_other_failure |=
                count::before(files, "failed").is_some_and(|failed| failed > 0);
            self.previous_line = PreviousLine::Files;
            return Some(Mark::Noise);
        }
        if let Some(took) = line.strip_prefix("Time:").or_else(|| text.strip_prefix("Duration ")) {
            self.outcome.duration =
                Some(took.trim().split([',', '(']).next().unwrap_or(took).trim().to_owned());
            return Some(Mark::Noise);
        }
        // Output of a test is indented, or does not follow the summary of files.
        let counts = line.strip_prefix("Tests:").or_else(|| {
            text.strip_prefix("Tests  ").filter(|_| previous_line == PreviousLine::Files)
        });
        if let Some(counts) =
            counts.filter(|counts| count::before(counts, "total").is_some() || counts.contains('('))
        {
            return Some(self.counts(counts));
        }
        self.mocha_summary(text, previous_line).or_else(|| self.node_summary(line))
    }

    fn counts(&mut self, counts: &str) -> Mark {
        self.outcome.start_summary();
        self.outcome.passed = count::before(counts, "passed").or(Some(0));
        self.outcome.failed = count::before(counts, "failed").or(Some(0));
        self.outcome.skipped = count::before(counts, "skipped");
        self.outcome.other_counts =
            count::before(counts, "todo").map(|count| (count, "todo")).into_iter().collect();
        self.outcome.total = count::before(counts, "total");
        self.vitest_lists_failures = self.vitest_lists_failures.map(|_| false);
        Mark::NOTABLE
    }

    /// Reads Mocha's summary, which follows a blank line, unlike output of tests.
    fn mocha_summary(&mut self, text: &str, previous_line: PreviousLine) -> Option<Mark> {
        let (number, word) = text.split_once(' ')?;
        let count = count::parse(number)?;
        match (word.split(' ').next()?, previous_line) {
            ("passing", PreviousLine::Empty) => {
                self.outcome.start_summary();
                self.outcome.passed = Some(count);
                self.outcome.failed = Some(0);
            }
            ("failing", PreviousLine::Counts) => self.outcome.failed = Some(count),
            ("pending", PreviousLine::Counts) => self.outcome.skipped = Some(count),
            _ => return None,
        }
        self.previous_line = PreviousLine::Counts;
        Some(Mark::NOTABLE)
    }

    fn node_summary(&mut self, line: &str) -> Option<Mark> {
        let (word, number) = line.strip_prefix("ℹ ")?.split_once(' ')?;
        let count = count::parse(number);
        match word {
            "tests" => {
                self.outcome.start_summary();
                self.outcome.total = count;
            }
            "pass" => self.outcome.passed = count,
            "fail" => self.outcome.failed = count,
            "skipped" => self.outcome.skipped = count,
            "todo" => {
                self.outcome.other_counts =
                    count.map(|count| (count, "todo")).into_iter().collect();
            }
            "cancelled" => self.outcome.errors = count,
            _ => return Some(Mark::Noise),
        }
        Some(Mark::NOTABLE)
    }
}

/// Returns true for source and diff lines below a message: `> 3 | code`, `- Expected`.
fn is_source(text: &str) -> bool {
    text.starts_with(['>', '+', '-', '|'])
        || text.split_once(" |").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

/// Parses `  1) suite` of Mocha's list of failures.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix("  ")?.split_once(") ")?;
    number.parse::<u32>().is_ok().then_some(name)
}

/// Returns true if a location is in a file that the runner may load; a frame of a native library is
/// not where a test failed.
fn is_script(location: &str) -> bool {
    const EXTENSIONS: &[&str] =
        &["js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "json", "html"];
    let path = location.rsplit_once(':').map_or(location, |(path, _)| path);
    path.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}
