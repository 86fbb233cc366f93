//! RSpec and Minitest: counts, failing examples with expectation and location.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "rspec",
    keeps: "counts; failing examples with expected and actual value and location",
    commands: &["rspec", "rake test", "rake spec", "rails test"],
    scope: Scope::Embedded(&[" examples, ", " example, ", "Failure/Error:", " assertions, "]),
    create: || Box::<Rspec>::default(),
};

#[derive(Debug, Default)]
struct Rspec {
    outcome: TestOutcome,
    reason_lines: u32,
    /// Below `Failures:`; pending examples are listed the same way.
    in_failures: bool,
}

impl Recognizer for Rspec {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.starts_with("Finished in ") || text == "Failed examples:" {
            self.end_failures();
            return Mark::Plain;
        }
        if let Some(example) = text.strip_prefix("rspec ") {
            return if example.contains(" # ") { Mark::Weight(20) } else { Mark::Plain };
        }
        if count::before(text, "examples").or(count::before(text, "example")).is_some() {
            return self.counts(text, "examples", "example");
        }
        if count::before(text, "runs").is_some() && text.contains(" assertions, ") {
            return self.counts(text, "runs", "tests");
        }
        if matches!(text, "Failures:" | "Pending:") || text.starts_with("Pending: (") {
            self.reason_lines = 0;
            self.in_failures = text == "Failures:";
            return Mark::Plain;
        }
        if let Some(name) = numbered(line.text).filter(|_| self.in_failures) {
            self.outcome.add_failure(name);
            self.reason_lines = 12;
            return Mark::DETAIL;
        }
        if let Some(own) = text.strip_prefix("# ./") {
            if self.in_failures {
                self.outcome.set_location(own.split(":in ").next().unwrap_or(own));
            }
            self.reason_lines = 0;
            return Mark::Weight(16);
        }
        if text.starts_with("# ") {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            self.reason(text);
            return Mark::Weight(20);
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        self.outcome.report("examples", "")
    }
}

impl Rspec {
    /// Adds what was expected or raised; skips the source line, which the location already names.
    fn reason(&mut self, text: &str) {
        if !text.starts_with("Failure/Error:") && !text.starts_with("(compared") {
            self.outcome.add_reason(text);
        }
    }

    fn end_failures(&mut self) {
        (self.reason_lines, self.in_failures) = (0, false);
    }

    fn counts(&mut self, text: &str, noun: &str, or: &str) -> Mark {
        self.end_failures();
        self.outcome.start_summary();
        self.outcome.total = count::before(text, noun).or(count::before(text, or));
        self.outcome.failed = count::before(text, "failures").or(count::before(text, "failure"));
        self.outcome.errors = count::before(text, "errors");
        self.outcome.skipped = count::before(text, "pending").or(count::before(text, "skips"));
        self.outcome.derive_passed();
        // Errors outside of examples do not count as failed examples.
        let outside =
            count::before(text, "error occurred").or(count::before(text, "errors occurred"));
        self.outcome.errors = self.outcome.errors.or(outside);
        Mark::OUTCOME
    }
}

/// Parses `  1) Tariff is free above 50`.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix("  ")?.split_once(") ")?;
    number.parse::<u32>().is_ok().then_some(name)
}
