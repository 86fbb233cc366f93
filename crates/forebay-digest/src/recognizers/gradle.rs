//! Gradle: tasks that failed, failing tests, what went wrong.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::{Outcome, Tops, count};

pub(super) const FORMAT: Format = Format {
    name: "gradle",
    keeps: "failed tasks; failing tests with their first lines; what went wrong; how the build ended",
    commands: &["gradle", "gradlew"],
    scope: Scope::Part(&["> Task :", "BUILD FAILED", "BUILD SUCCESSFUL in", "* What went wrong:"]),
    start: || Box::<Gradle>::default(),
};

#[derive(Debug, Default)]
struct Gradle {
    outcome: Outcome,
    failed_tasks: Tops,
    ending: Option<String>,
    actionable: Option<String>,
    reason_lines: u32,
}

impl Recognizer for Gradle {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(task) = text.strip_prefix("> Task ") {
            return self.task(task);
        }
        if text == "* What went wrong:" {
            self.reason_lines = 5;
            return Mark::DETAIL;
        }
        if text.starts_with("* Try:") || text.starts_with("> Run with --") || text.starts_with("* Get more help") {
            self.reason_lines = 0;
            return Mark::Noise;
        }
        if text.starts_with("BUILD FAILED") || text.starts_with("BUILD SUCCESSFUL") {
            self.ending = Some(text.to_owned());
            return Mark::OUTCOME;
        }
        if text.contains(" actionable task") {
            self.actionable = Some(text.to_owned());
            return Mark::NOTABLE;
        }
        if count::before(text, "tests completed").is_some() || count::before(text, "test completed").is_some() {
            return self.counts(text);
        }
        if let Some(name) = text.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
            self.outcome.fail(name);
            self.reason_lines = 3;
            return Mark::FAILURE;
        }
        if text.ends_with(" PASSED") && text.contains(" > ") {
            return Mark::Noise;
        }
        self.reason(text)
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let failed = !self.failed_tasks.is_empty() || self.outcome.has_failures();
        let ending = self.ending?;
        let tasks = match self.actionable {
            Some(tasks) => format!("gradle: {ending}; {tasks}"),
            None => format!("gradle: {ending}"),
        };
        let mut report = self.outcome.report("gradle tests", "").unwrap_or(Report::new(Quotes::Usual));
        report.add(95, tasks);
        if !self.failed_tasks.is_empty() {
            report.add(85, format!("failed tasks: {}", self.failed_tasks.names(6)));
        }
        Some(report.failing(failed || ending.starts_with("BUILD FAILED")))
    }
}

impl Gradle {
    fn task(&mut self, task: &str) -> Mark {
        self.reason_lines = 0;
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
        self.outcome.said = true;
        Outcome::add(&mut self.outcome.total, count::first_number(text));
        Outcome::add(&mut self.outcome.failed, count::before(text, "failed").or(Some(0)));
        Outcome::add(&mut self.outcome.skipped, count::before(text, "skipped"));
        Mark::OUTCOME
    }

    fn reason(&mut self, text: &str) -> Mark {
        if self.reason_lines == 0 || text.trim().is_empty() {
            return Mark::Plain;
        }
        self.reason_lines -= 1;
        Mark::REASON
    }
}
