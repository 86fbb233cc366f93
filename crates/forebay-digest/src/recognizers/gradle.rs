//! Gradle: tasks that failed, failing tests, what went wrong.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Outcome, Tops, count};

pub(super) const FORMAT: Format = Format {
    name: "gradle",
    keeps: "failed tasks; failing tests with their first lines; what went wrong; how the build ended",
    commands: &["gradle", "gradlew"],
    scope: Scope::Part(&[
        "> Task :",
        "BUILD FAILED",
        "BUILD SUCCESSFUL in",
        "* What went wrong:",
        " tests completed",
        "() FAILED",
    ]),
    start: || Box::<Gradle>::default(),
};

#[derive(Debug, Default)]
struct Gradle {
    outcome: Outcome,
    failed_tasks: Tops,
    ending: Option<String>,
    actionable: Option<String>,
    reason_lines: u32,
    /// What follows is about a test, not about a task.
    in_test: bool,
    has_ended: bool,
}

impl Recognizer for Gradle {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(task) = text.strip_prefix("> Task ") {
            if std::mem::take(&mut self.has_ended) {
                // Gradle was started once more.
                self.outcome.work_out_passed();
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
            self.ending = Some(
                self.ending
                    .take()
                    .map_or_else(|| text.to_owned(), |before| format!("{before}; {text}")),
            );
            return Mark::OUTCOME;
        }
        if text.contains(" actionable task") {
            self.actionable = Some(text.to_owned());
            return Mark::NOTABLE;
        }
        if count::before(text, "tests completed").is_some()
            || count::before(text, "test completed").is_some()
        {
            return self.counts(text);
        }
        if let Some(name) = text.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
            self.outcome.fail(name);
            self.reason_lines = 8;
            self.in_test = true;
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
        let mut outcome = self.outcome;
        outcome.work_out_passed();
        let mut report = outcome.report("gradle tests", "").unwrap_or(Report::new(Quotes::Usual));
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
        self.outcome.said = true;
        Outcome::add(&mut self.outcome.total, count::first_number(text));
        Outcome::add(&mut self.outcome.failed, count::before(text, "failed").or(Some(0)));
        Outcome::add(&mut self.outcome.skipped, count::before(text, "skipped"));
        Mark::OUTCOME
    }

    fn reason(&mut self, text: &str) -> Mark {
        if text.trim().is_empty() {
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
            self.outcome.because(text);
        } else if let Some(place) = place::first(text).filter(|_| is_own) {
            self.outcome.at(&place);
        }
        if is_frame && !is_own { Mark::Plain } else { Mark::REASON }
    }
}
