//! TAP: the plan, tests that are not ok, and their diagnostics.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::Outcome;

pub(super) const FORMAT: Format = Format {
    name: "tap",
    keeps: "tests ok and not ok; the names of those that are not, with their diagnostics",
    commands: &["prove", "tap", "bats"],
    scope: Scope::Part(&["TAP version", "not ok ", "1.."]),
    start: || Box::<Tap>::default(),
};

#[derive(Debug, Default)]
struct Tap {
    outcome: Outcome,
    passed: u64,
    failed: u64,
    skipped: u64,
    planned: Option<u64>,
    /// Below a test that is not ok.
    failing: bool,
}

impl Recognizer for Tap {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if let Some(name) = text.strip_prefix("not ok ") {
            let todo = name.contains("# TODO");
            self.failed += u64::from(!todo);
            self.failing = !todo;
            if self.failing {
                self.outcome.fail(without_number(name));
                return Mark::FAILURE;
            }
            return Mark::Plain;
        }
        if let Some(name) = text.strip_prefix("ok ") {
            self.failing = false;
            self.passed += 1;
            self.skipped += u64::from(name.contains("# SKIP") || name.contains("# skip"));
            return Mark::Noise;
        }
        if let Some(plan) = text.strip_prefix("1..") {
            self.planned = plan.split(' ').next().and_then(|plan| plan.parse().ok());
            return Mark::NOTABLE;
        }
        let text = text.trim();
        match self.failing {
            true if text.starts_with("at ") || text == "---" || text == "..." => Mark::Noise,
            true if !text.is_empty() => Mark::REASON,
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        // A plan that differs from what was seen means lines were missed, or tests did not run.
        let Self { mut outcome, passed, failed, skipped, planned, .. } = *self;
        let seen = passed + failed;
        if seen == 0 {
            return None;
        }
        outcome.said = true;
        outcome.passed = Some(passed - skipped);
        outcome.failed = Some(failed);
        outcome.skipped = Some(skipped);
        let plan = match planned {
            Some(planned) if planned != seen => format!(" (seen {seen} of {planned} planned)"),
            _ => String::new(),
        };
        outcome.report("tap", &plan)
    }
}

/// `3 - parses` without its number.
fn without_number(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([' ', '-'])
}
