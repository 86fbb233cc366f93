//! Jest, Vitest, Mocha and node's own runner: counts, failing tests, expected and received, the place.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "jest, vitest, mocha",
    keeps: "counts of tests and of files; failing tests; expected and received; the first own place",
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
    scope: Scope::Part(&[
        "Test Suites: ",
        " Test Files  ",
        " passing (",
        "  ● ",
        " FAIL  ",
        "ℹ tests ",
    ]),
    start: || Box::<Jest>::default(),
};

/// What Jest writes like the name of a failing test.
const NO_TESTS: [&str; 4] = ["Console", "Validation", "Deprecation", "Cannot log after"];

#[derive(Debug, Default)]
struct Jest {
    outcome: Outcome,
    files: Option<String>,
    /// So many of the next lines say why a test failed.
    reason_lines: u32,
    /// A name of several lines is being read, one below the other.
    name: Option<String>,
    /// What a test printed, up to an empty line or the next line that is the runner's own.
    printed: Printed,
    above: Above,
    /// `expect(received).toBe(expected)`, for a test of which nothing else is said.
    matcher: String,
    /// Vitest named itself, so it says when it lists what failed.
    vitest_names: Option<bool>,
}

/// What a test printed, and how its end is told.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Printed {
    #[default]
    Nothing,
    /// Below `stdout | file > test`, until an empty line.
    Paragraph,
    /// Below `● Console`, until a line that is indented less.
    Indented,
}

/// The line above.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Above {
    #[default]
    Empty,
    /// A line of Mocha's summary.
    Counts,
    /// Vitest's line on files.
    Files,
    Other,
}

impl Recognizer for Jest {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if self.goes_on_printing(line.text) {
            return Mark::Plain;
        }
        let above = self.above;
        self.above = if text.is_empty() { Above::Empty } else { Above::Other };
        if let Some(mark) = self.summary(line.text, above) {
            self.reason_lines = 0;
            return mark;
        }
        if let Some(name) = self.name.take() {
            return self.name_goes_on(name, text);
        }
        if let Some(name) = numbered(line.text).filter(|_| self.outcome.failed.is_some()) {
            return self.name_goes_on(String::new(), name);
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

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let several = self.outcome.has_several_runs();
        let files = self.files.as_ref().filter(|_| !several);
        let scope = files.map(|files| format!("; files: {files}")).unwrap_or_default();
        self.outcome.report("tests", &scope)
    }

    fn is_within_test(&self) -> bool {
        self.printed != Printed::Nothing
    }
}

impl Jest {
    fn goes_on_printing(&mut self, line: &str) -> bool {
        let is_over = match self.printed {
            Printed::Nothing => true,
            Printed::Paragraph => line.trim().is_empty(),
            Printed::Indented => !line.is_empty() && !line.starts_with("    "),
        };
        if is_over {
            self.printed = Printed::Nothing;
        }
        !is_over
    }

    /// Names of failing tests, and lines above what a test printed.
    fn heading(&mut self, line: &str) -> Option<Mark> {
        let text = line.trim();
        if text.starts_with("stdout | ") || text.starts_with("stderr | ") {
            self.printed = Printed::Paragraph;
            self.reason_lines = 0;
            return Some(Mark::Plain);
        }
        if text.starts_with("RUN  v") {
            self.vitest_names = Some(false);
            return Some(Mark::Plain);
        }
        if text.starts_with('⎯') && text.contains(" Failed ") {
            self.vitest_names = Some(true);
            return Some(Mark::Plain);
        }
        if let Some(name) = line.strip_prefix("  ● ") {
            return Some(self.jest_name(name));
        }
        if text == "✖ failing tests:" {
            // The list below repeats what failed, without groups.
            self.outcome.keep_failures_of_part(|_| false);
            return Some(Mark::Plain);
        }
        if let Some(name) = text.strip_prefix("✖ ") {
            return Some(self.node_name(name));
        }
        let name = text.strip_prefix("FAIL  ").filter(|_| self.vitest_names != Some(false))?;
        if !name.contains(" > ") && !name.ends_with(']') {
            // Jest names a file so.
            return Some(Mark::Plain);
        }
        self.open(name);
        Some(Mark::DETAIL)
    }

    fn jest_name(&mut self, name: &str) -> Mark {
        self.reason_lines = 0;
        if name == "Console" {
            self.printed = Printed::Indented;
        }
        if NO_TESTS.iter().any(|other| name.starts_with(other)) {
            return Mark::Plain;
        }
        self.open(name);
        Mark::DETAIL
    }

    /// `bad (1.58ms)`; one that is still to do may fail.
    fn node_name(&mut self, name: &str) -> Mark {
        self.reason_lines = 0;
        let (name, directive) = name.split_once(" # ").unwrap_or((name, ""));
        if directive.starts_with(concat!("TO", "DO")) || directive.starts_with("SKIP") {
            return Mark::Plain;
        }
        let timed = name.strip_suffix("ms)").and_then(|name| name.rsplit_once(" ("));
        self.open(timed.map_or(name, |(name, _)| name));
        Mark::DETAIL
    }

    fn open(&mut self, name: &str) {
        self.outcome.fail(name);
        self.matcher.clear();
        self.reason_lines = 40;
    }

    /// Mocha writes the suites of a test above it, and a colon after its name.
    fn name_goes_on(&mut self, mut name: String, part: &str) -> Mark {
        if !name.is_empty() && !part.is_empty() {
            name.push_str(" › ");
        }
        name.push_str(part.trim_end_matches(':'));
        if part.ends_with(':') || part.is_empty() {
            self.open(&name);
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
        if let Some(place) = place::first(text).filter(|_| is_frame) {
            self.outcome.at(&place);
            if !self.outcome.is_explained() {
                self.outcome.because(&std::mem::take(&mut self.matcher));
            }
            return Mark::Weight(16);
        }
        if text.starts_with("expect(") {
            text.clone_into(&mut self.matcher);
            return Mark::Plain;
        }
        if self.outcome.awaits_more() {
            self.outcome.because(text);
            return Mark::DETAIL;
        }
        let starts = ["Expected", "Received", "expected ", "Cannot find", "thrown:"];
        let says_why = starts.iter().any(|start| text.starts_with(start))
            && text.contains([':', ' '])
            && !text.ends_with("ed:");
        let label = text.split(':').next().unwrap_or_default();
        let is_error = label.contains("Error") && text.contains(": ");
        // Jest writes only the message of what was thrown, right below the name.
        let is_thrown = self.reason_lines == 39 && !is_source(text);
        if (is_error || is_thrown) && !self.outcome.is_explained() || says_why {
            self.outcome.because(text);
            return Mark::DETAIL;
        }
        Mark::Plain
    }

    fn summary(&mut self, line: &str, above: Above) -> Option<Mark> {
        let text = line.trim();
        let files = line
            .strip_prefix("Test Suites:")
            .or_else(|| line.trim_start().strip_prefix("Test Files "));
        if let Some(files) = files {
            self.files = Some(files.trim().to_owned());
            self.outcome.broken |= count::before(files, "failed").is_some_and(|failed| failed > 0);
            self.above = Above::Files;
            return Some(Mark::Noise);
        }
        if let Some(took) = line.strip_prefix("Time:").or_else(|| text.strip_prefix("Duration ")) {
            self.outcome.took =
                Some(took.trim().split([',', '(']).next().unwrap_or(took).trim().to_owned());
            return Some(Mark::Noise);
        }
        // What a test printed stands further in, or not below the line on files.
        let counts = line
            .strip_prefix("Tests:")
            .or_else(|| text.strip_prefix("Tests  ").filter(|_| above == Above::Files));
        if let Some(counts) =
            counts.filter(|counts| count::before(counts, "total").is_some() || counts.contains('('))
        {
            return Some(self.counts(counts));
        }
        self.mocha_summary(text, above).or_else(|| self.node_summary(line))
    }

    fn counts(&mut self, counts: &str) -> Mark {
        self.outcome.sum_up();
        self.outcome.passed = count::before(counts, "passed").or(Some(0));
        self.outcome.failed = count::before(counts, "failed").or(Some(0));
        self.outcome.skipped = count::before(counts, "skipped");
        self.outcome.further =
            count::before(counts, "todo").map(|count| (count, "todo")).into_iter().collect();
        self.outcome.total = count::before(counts, "total");
        self.vitest_names = self.vitest_names.map(|_| false);
        Mark::NOTABLE
    }

    /// Mocha leaves a line empty above its summary; what a test printed stands between tests.
    fn mocha_summary(&mut self, text: &str, above: Above) -> Option<Mark> {
        let (number, word) = text.split_once(' ')?;
        let count = number.parse().ok()?;
        match (word.split(' ').next()?, above) {
            ("passing", Above::Empty) => {
                self.outcome.sum_up();
                self.outcome.passed = Some(count);
                self.outcome.failed = Some(0);
            }
            ("failing", Above::Counts) => self.outcome.failed = Some(count),
            ("pending", Above::Counts) => self.outcome.skipped = Some(count),
            _ => return None,
        }
        self.above = Above::Counts;
        Some(Mark::NOTABLE)
    }

    fn node_summary(&mut self, line: &str) -> Option<Mark> {
        let (word, number) = line.strip_prefix("ℹ ")?.split_once(' ')?;
        let count = number.parse().ok();
        match word {
            "tests" => {
                self.outcome.sum_up();
                self.outcome.total = count;
            }
            "pass" => self.outcome.passed = count,
            "fail" => self.outcome.failed = count,
            "skipped" => self.outcome.skipped = count,
            "todo" => {
                self.outcome.further = count.map(|count| (count, "todo")).into_iter().collect()
            }
            "cancelled" => self.outcome.errors = count,
            _ => return Some(Mark::Noise),
        }
        Some(Mark::NOTABLE)
    }
}

/// `> 3 | code` and `- Expected`: what stands below a message.
fn is_source(text: &str) -> bool {
    text.starts_with(['>', '+', '-', '|'])
        || text.split_once(" |").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

/// `  1) suite`, as Mocha lists failures at its end.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix("  ")?.split_once(") ")?;
    number.parse::<u32>().is_ok().then_some(name)
}
