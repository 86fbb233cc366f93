//! Maven: test counts over all modules, failing tests, compiler errors, the failed goal.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "maven",
    keeps: "test counts over all modules; failing tests with messages; compiler errors; failed goal and module",
    commands: &["mvn", "mvnw"],
    scope: Scope::Embedded(&[
        "[INFO] Scanning for projects",
        "Tests run: ",
        "[INFO] Building ",
        "[INFO] BUILD ",
        "Results :",
        "Results:",
    ]),
    create: || Box::<Maven>::default(),
};

#[derive(Debug, Default)]
struct Maven {
    outcome: TestOutcome,
    build: Option<&'static str>,
    /// After `Results:`, which precedes the failing tests and totals of a module.
    in_results: bool,
}

impl Recognizer for Maven {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = message(line.text);
        if text.starts_with("Tests run: ") {
            return self.counts(text);
        }
        match text.trim_end() {
            "Results:" | "Results :" => {
                self.in_results = true;
                Mark::NOTABLE
            }
            "Scanning for projects..." => {
                // Maven was started again.
                self.outcome.derive_passed();
                self.outcome.start_run();
                Mark::Plain
            }
            "BUILD SUCCESS" => self.add_build_result("BUILD SUCCESS"),
            "BUILD FAILURE" => self.add_build_result("BUILD FAILURE"),
            _ => self.other(line.text, text),
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let failing = self.outcome.has_failures() || self.build == Some("BUILD FAILURE");
        let mut outcome = self.outcome;
        outcome.derive_passed();
        let report = outcome.report("maven tests", "");
        let report = report.or_else(|| self.build.map(|_| Report::new(super::Quotes::Default)))?;
        Some(report.failing(failing))
    }
}

impl Maven {
    fn add_build_result(&mut self, build: &'static str) -> Mark {
        // A later success does not undo a failure.
        if self.build != Some("BUILD FAILURE") {
            self.build = Some(build);
        }
        Mark::Plain
    }

    fn counts(&mut self, text: &str) -> Mark {
        if text.contains("Time elapsed") {
            let failed = text.contains("<<<");
            return if failed { Mark::Plain } else { Mark::Noise };
        }
        let (Some(all), Some(failed), Some(errors)) = (
            count::after(text, "Tests run:"),
            count::after(text, "Failures:"),
            count::after(text, "Errors:"),
        ) else {
            return Mark::Plain;
        };
        if !std::mem::take(&mut self.in_results) {
            // Counts of one class, or of another test runner.
            return Mark::Plain;
        }
        self.outcome.has_summary = true;
        let skipped = count::after(text, "Skipped:").unwrap_or(0);
        TestOutcome::add_count(&mut self.outcome.total, Some(all));
        TestOutcome::add_count(&mut self.outcome.failed, Some(failed));
        TestOutcome::add_count(&mut self.outcome.errors, Some(errors));
        TestOutcome::add_count(&mut self.outcome.skipped, Some(skipped));
        Mark::Plain
    }

    fn other(&mut self, line: &str, text: &str) -> Mark {
        if self.in_results && is_test_name(text) {
            self.outcome.add_failure(text.trim());
            return Mark::Plain;
        }
        if line.starts_with("[INFO] Download")
            || text.starts_with("Download")
            || text.starts_with("Progress (")
        {
            return Mark::Noise;
        }
        Mark::Plain
    }
}

/// Strips the level.
fn message(line: &str) -> &str {
    let line = line.trim_start();
    for level in ["[INFO] ", "[ERROR] ", "[WARNING] ", "[WARN] "] {
        if let Some(text) = line.strip_prefix(level) {
            return text.trim_start();
        }
    }
    line
}

/// Returns true for `ClassTest.method:12 message` or `method(package.ClassTest): message`.
fn is_test_name(text: &str) -> bool {
    let first = text.split([' ', ':']).next().unwrap_or_default();
    first.contains('.') && text.contains(':') && !first.starts_with('.') && !first.ends_with('.')
}
