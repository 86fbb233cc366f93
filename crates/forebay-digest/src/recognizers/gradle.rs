//! Gradle: failed tasks, failing tests, reasons.

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{TestOutcome, ValueCounts, count};

pub(super) const FORMAT: Format = Format {
    name: "gradle",
    keeps: "failed tasks; failing tests with their first lines; reason; build result",
    commands: &["gradle", "gradlew"],
    scope: Scope::Embedded(&[
        "> Task :",
        "BUILD FAILED",
        "BUILD SUCCESSFUL in",
        "* What went wrong:",
        " tests completed",
        "() FAILED",
    ]),
    create: || Box::<Gradle>::default(),
};

#[derive(Debug, Default)]
struct Gradle {
    outcome: TestOutcome,
    failed_tasks: ValueCounts,
    result: Option<String>,
    task_summary: Option<String>,
    reason_lines: u32,
    /// The following lines belong to a test, not to a task.
    in_test: bool,
    has_ended: bool,
}

impl Recognizer for Gradle {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(task) = text.strip_prefix("> Task ") {
            if std::mem::take(&mut self.has_ended) {
                // Gradle was started again.
                self.outcome.derive_passed();
                self.outcome.start_run();
            }
            return self.task(task);
        }
        if text == "* What went wrong:" {
            self.reason_lines = 5;
            self.in_test = false;
            return Mark::DETAIL;
        }
        if text.starts_with("* Try:")
            || text.starts_with("> Run with --")
            || text.starts_with("* Get more help")
        {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        if text.starts_with("BUILD FAILED") || text.starts_with("BUILD SUCCESSFUL") {
            self.has_ended = true;
            self.result = Some(
                self.result
                    .take()
                    .map_or_else(|| text.to_owned(), |before| format!("{before}; {text}")),
            );
            return Mark::OUTCOME;
        }
        if text.contains(" actionable task") {
            self.task_summary = Some(text.to_owned());
            return Mark::NOTABLE;
        }
        if count::before(text, "tests completed").is_some()
            || count::before(text, "test completed").is_some()
        {
            return self.counts(text);
        }
        if let Some(name) = text.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
            self.outcome.add_failure(name);
            self.reason_lines = 8;
            self.in_test = true;
            return Mark::FAILURE;
        }
        if text.ends_with(" PASSED") && text.contains(" > ") {
            return Mark::Noise;
        }
        self.reason(text)
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let failed = !self.failed_tasks.is_empty() || self.outcome.has_failures();
        let result = self.result?;
        let tasks = match self.task_summary {
            Some(tasks) => format!("gradle: {result}; {tasks}"),
            None => format!("gradle: {result}"),
        };
        let mut outcome = self.outcome;
        outcome.derive_passed();
        let mut report = outcome.report("gradle tests", "").unwrap_or(Report::new(Quotes::Default));
        report.add(95, tasks);
        if !self.failed_tasks.is_empty() {
            report.add(85, format!("failed tasks: {}", self.failed_tasks.names(6)));
        }
        Some(report.failing(failed || result.starts_with("BUILD FAILED")))
    }
}

impl Gradle {
    fn task(&mut self, task: &str) -> Mark {
        self.reason_lines = 0;
        self.in_test = false;
        match task.strip_suffix(" FAILED") {
            Some(name) => {
                self.failed_tasks.add(name);
                self.reason_lines = 3;
                Mark::FAILURE
            }
            None => Mark::Noise,
        }
    }

    fn counts(&mut self, text: &str) -> Mark {
        self.outcome.has_summary = true;
        TestOutcome::add_count(&mut self.outcome.total, count::first_number(text));
        TestOutcome::add_count(&mut self.outcome.failed, count::before(text, "failed").or(Some(0)));
        TestOutcome::add_count(&mut self.outcome.skipped, count::before(text, "skipped"));
        Mark::OUTCOME
    }

    fn reason(&mut self, text: &str) -> Mark {
        let is_of_test = text.starts_with(' ');
        if text.trim().is_empty() || self.in_test && !is_of_test {
            self.reason_lines = 0;
        }
        if self.reason_lines == 0 {
            return Mark::Plain;
        }
        self.reason_lines -= 1;
        let is_frame = text.trim_start().starts_with("at ");
        let is_own = !["org.junit", "java.base", "jdk.internal", "org.gradle", "kotlin."]
            .iter()
            .any(|foreign| text.contains(foreign));
        if !is_frame && self.in_test {
            self.outcome.add_reason(text);
        } else if let Some(location) = location::find_first(text).filter(|_| is_own) {
            self.outcome.set_location(&location);
        }
        if is_frame && !is_own { Mark::Plain } else { Mark::REASON }
    }
}
