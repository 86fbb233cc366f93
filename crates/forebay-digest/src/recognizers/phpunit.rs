//! PHPUnit: counts, failing tests with assertion and location.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "phpunit",
    keeps: "tests, assertions, failures, errors; failing tests with message and location",
    commands: &["phpunit", "pest", "artisan test"],
    scope: Scope::Embedded(&["PHPUnit ", "FAILURES!", "ERRORS!", "Assertions: "]),
    create: || Box::<PhpUnit>::default(),
};

#[derive(Debug, Default)]
struct PhpUnit {
    outcome: TestOutcome,
    assertions: Option<u64>,
    reason_lines: u32,
    /// Below a heading of tests that did not fail: `There was 1 risky test:`.
    in_passing_section: bool,
}

impl Recognizer for PhpUnit {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(heading) = heading(text) {
            self.in_passing_section = !heading.contains("failure") && !heading.contains("error");
            self.reason_lines = 0;
            return Mark::DETAIL;
        }
        if text == "--" {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        if self.in_passing_section && numbered_test(text).is_some() {
            return Mark::Plain;
        }
        if let Some(name) = numbered_test(text).or_else(|| text.trim_start().strip_prefix("✘ ")) {
            self.outcome.add_failure(name);
            self.reason_lines = 12;
            return Mark::DETAIL;
        }
        if is_summary(text) {
            return self.counts(text);
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            return self.reason(text.trim_matches([' ', '│', '┐', '┊', '├', '┴', '╵']));
        }
        if text.ends_with("%)") || text.starts_with(" ✔ ") { Mark::Noise } else { Mark::Plain }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let assertions =
            self.assertions.map(|count| format!(", {count} assertions")).unwrap_or_default();
        self.outcome.report("phpunit", &assertions)
    }
}

impl PhpUnit {
    fn reason(&mut self, text: &str) -> Mark {
        if text.contains("/vendor/") {
            return Mark::Noise;
        }
        if text.is_empty() {
            return Mark::Noise;
        }
        match location::find_first(text).filter(|_| text.starts_with('/')) {
            Some(location) => self.outcome.set_location(&location),
            None => self.outcome.add_reason(text),
        }
        Mark::Weight(20)
    }

    fn counts(&mut self, text: &str) -> Mark {
        self.reason_lines = 0;
        self.in_passing_section = false;
        self.outcome.start_summary();
        let named = |label| count::after(text, label);
        self.outcome.total =
            named("Tests:").or(count::before(text, "tests")).or(count::before(text, "test"));
        self.assertions = named("Assertions:").or(count::before(text, "assertions"));
        self.outcome.failed = named("Failures:").or(Some(0));
        self.outcome.errors = named("Errors:");
        self.outcome.skipped = named("Skipped:");
        let further = [("Incomplete:", "incomplete"), ("Risky:", "risky")];
        self.outcome.other_counts =
            further.iter().filter_map(|(label, word)| Some((named(label)?, *word))).collect();
        self.derive_passed();
        Mark::OUTCOME
    }

    /// Incomplete and risky tests have counts of their own.
    fn derive_passed(&mut self) {
        self.outcome.derive_passed();
        let further: u64 = self.outcome.other_counts.iter().map(|(count, _)| count).sum();
        self.outcome.passed = self.outcome.passed.and_then(|passed| passed.checked_sub(further));
    }
}

/// Returns true for `Tests: 5, Assertions: 9, Failures: 1.` and `OK (5 tests, 9 assertions)`.
fn is_summary(text: &str) -> bool {
    text.starts_with("Tests: ") && text.contains(", Assertions: ")
        || text.starts_with("OK (") && text.contains(" assertion")
}

/// Parses `There were 6 failures:`.
fn heading(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("There was ").or_else(|| text.strip_prefix("There were "))?;
    rest.strip_suffix(':')
}

/// Returns the test of `1) Tests\CartTest::testTotal`.
fn numbered_test(text: &str) -> Option<&str> {
    let (number, name) = text.split_once(") ")?;
    (number.parse::<u32>().is_ok() && name.contains("::")).then_some(name)
}
