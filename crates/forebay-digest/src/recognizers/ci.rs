//! CI logs: the failed step, found by the markers that CI services write.

use forebay_text::cut;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "ci",
    keeps: "number of steps; the failed step with its exit code; errors reported by the service",
    commands: &["gh run view", "act", "gitlab-runner"],
    scope: Scope::Embedded(&[
        "##[group]",
        "##[error]",
        "::error",
        "section_start:",
        "travis_fold:",
        "The command \"",
        "##[section]",
        "ERROR: Job failed",
    ]),
    create: || Box::<Ci>::default(),
};

#[derive(Debug, Default)]
struct Ci {
    steps: u64,
    step: Option<(String, u64)>,
    failed: Option<String>,
    /// The first command of the step.
    command: Option<String>,
}

impl Recognizer for Ci {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(step) =
            text.strip_prefix("##[group]").or_else(|| text.strip_prefix("##[section]Starting: "))
        {
            return self.step(step, line.number);
        }
        if let Some(step) =
            section(text, "section_start:").or_else(|| section(text, "travis_fold:start:"))
        {
            return self.step(step, line.number);
        }
        if let Some(error) = text.strip_prefix("##[error]") {
            self.fail(error);
            return Mark::OUTCOME;
        }
        if text.starts_with("The command \"")
            && text.contains(" exited with ")
            && !text.ends_with(" 0.")
        {
            self.fail(text);
            return Mark::OUTCOME;
        }
        if let Some(command) = text.strip_prefix("$ ").or_else(|| text.strip_prefix("[command]")) {
            self.command.get_or_insert_with(|| command.to_owned());
            return Mark::NOTABLE;
        }
        if text.starts_with("ERROR: Job failed") {
            self.fail(text);
            return Mark::OUTCOME;
        }
        if text.starts_with("##[") || text.starts_with("section_end:") {
            Mark::Noise
        } else {
            Mark::Plain
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let failed = self.failed?;
        let steps = if self.steps > 1 { format!(", {} steps", self.steps) } else { String::new() };
        Some(
            Report::with_summary(format!("CI failed{steps}: {failed}"), Quotes::Default)
                .failing(true),
        )
    }
}

impl Ci {
    fn step(&mut self, name: &str, line: u64) -> Mark {
        self.steps += 1;
        self.step = Some((name.to_owned(), line));
        self.command = None;
        Mark::NOTABLE
    }

    /// Records the step that is open at the first error as failed.
    fn fail(&mut self, error: &str) {
        if self.failed.is_some() {
            return;
        }
        self.failed = Some(match &self.step {
            Some((step, line)) => {
                let command = self
                    .command
                    .as_ref()
                    .map(|command| format!(": {}", cut::one_line(command, 60)))
                    .unwrap_or_default();
                let step = cut::one_line(step, 60);
                format!("step {} {step}{command} (line {line})", self.steps)
            }
            None => cut::one_line(error, 80),
        });
    }
}

fn section<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.strip_prefix(start)?.rsplit(':').next()
}
