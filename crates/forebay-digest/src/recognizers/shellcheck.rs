//! ShellCheck's terminal output: findings by code, with script and line.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::{Diagnostics, RuleFinding, Severity};

pub(super) const FORMAT: Format = Format {
    name: "shellcheck",
    keeps: "findings by code and script; the first of each code with its location",
    commands: &["shellcheck"],
    scope: Scope::Embedded(&["^-- SC", "-- SC", "^ SC", "https://www.shellcheck.net/wiki/"]),
    create: || Box::<ShellCheck>::default(),
};

#[derive(Debug, Default)]
struct ShellCheck {
    diagnostics: Diagnostics,
    script: String,
    /// Script and line.
    place: String,
}

impl Recognizer for ShellCheck {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some((script, number)) =
            text.strip_prefix("In ").and_then(|rest| rest.split_once(" line "))
        {
            script.clone_into(&mut self.script);
            self.place = format!("{script}:{}", number.trim_end_matches(':'));
            return Mark::Weight(22);
        }
        let Some((_, finding)) =
            text.split_once(" SC").filter(|(before, _)| before.starts_with('^'))
        else {
            return Mark::Plain;
        };
        let code = finding.split([' ', ':']).next().unwrap_or_default();
        let level = finding.split_once('(').and_then(|(_, rest)| rest.split(')').next());
        let severity = level.and_then(Severity::from_word).unwrap_or(Severity::Warning);
        let message = finding.split_once(": ").map_or(finding, |(_, message)| message);
        let rule = format!("SC{code}");
        let finding = RuleFinding { rule: &rule, place: &self.place, message };
        self.diagnostics.add_finding(severity, &self.script, finding)
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.diagnostics.report("shellcheck", context)
    }
}
