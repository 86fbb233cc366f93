//! RSpec and Minitest: counts, failing examples, what each expected and where.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::{Outcome, count};

pub(super) const FORMAT: Format = Format {
    name: "rspec",
    keeps: "examples, failures, pending; failing examples with expected, got and their own place",
    commands: &["rspec", "rake test", "rake spec", "rails test"],
    scope: Scope::Part(&[" examples, ", " example, ", "Failure/Error:", " assertions, "]),
    start: || Box::<Rspec>::default(),
};

#[derive(Debug, Default)]
struct Rspec {
    outcome: Outcome,
    reason_lines: u32,
}

impl Recognizer for Rspec {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(example) = text.strip_prefix("rspec ") {
            self.outcome.fail(example);
            return Mark::FAILURE;
        }
        if count::before(text, "examples").or(count::before(text, "example")).is_some() {
            return self.counts(text, "examples", "example");
        }
        if count::before(text, "runs").is_some() && text.contains(" assertions, ") {
            return self.counts(text, "runs", "tests");
        }
        if text.starts_with("Failure/Error:") || text.starts_with("Failure:") || text.starts_with("Error:") {
            self.reason_lines = 8;
            return Mark::REASON;
        }
        if text.starts_with("# ") {
            return if text.starts_with("# ./") { Mark::REASON } else { Mark::Noise };
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            return Mark::REASON;
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        self.outcome.report("examples", "")
    }
}

impl Rspec {
    fn counts(&mut self, text: &str, noun: &str, or: &str) -> Mark {
        self.outcome.said = true;
        self.outcome.total = count::before(text, noun).or(count::before(text, or));
        self.outcome.failed = count::before(text, "failures").or(count::before(text, "failure"));
        self.outcome.errors = count::before(text, "errors");
        self.outcome.skipped = count::before(text, "pending").or(count::before(text, "skips"));
        Mark::OUTCOME
    }
}
