//! Terraform: resources created, changed, replaced and destroyed; reasons for replacements.

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "terraform",
    keeps: "totals of the plan; resources by action; reasons for replacements; errors",
    commands: &["terraform", "tofu"],
    scope: Scope::Embedded(&[
        "Terraform will perform",
        "Refreshing state...",
        "Apply complete!",
        "Terraform used the selected",
    ]),
    create: || Box::<Terraform>::default(),
};

#[derive(Debug, Default)]
struct Terraform {
    created: ValueCounts,
    updated: ValueCounts,
    replaced: ValueCounts,
    destroyed: ValueCounts,
    refreshed: u64,
    completed: ValueCounts,
    /// The plan was applied.
    is_applied: bool,
}

impl Recognizer for Terraform {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        self.is_applied |=
            line.text.starts_with("Apply complete!") || line.text.starts_with("Destroy complete!");
        // Deeper indentation is part of a value.
        if let Some((resource, action)) = line
            .text
            .strip_prefix("  # ")
            .and_then(|rest| rest.split_once(" will be ").or_else(|| rest.split_once(" must be ")))
        {
            let group = match action.split(' ').next().unwrap_or_default() {
                "created" => &mut self.created,
                "updated" => &mut self.updated,
                "replaced" => &mut self.replaced,
                "destroyed" => &mut self.destroyed,
                _ => return Mark::Plain,
            };
            group.add(resource);
            return Mark::Weight(24);
        }
        if is_refreshed(text) {
            self.refreshed += 1;
            return Mark::Noise;
        }
        if let Some((_, what)) = text.split_once(": ").filter(|_| text.contains(" complete after "))
        {
            self.completed.add(what.split(' ').next().unwrap_or(what));
            return Mark::Noise;
        }
        match text {
            _ if line.text.starts_with("Plan:")
                || text.starts_with("Apply complete!")
                || text.starts_with("No changes.") =>
            {
                Mark::OUTCOME
            }
            _ if text.starts_with("│ Error") || text.starts_with("Error:") => Mark::FAILURE,
            _ if text.contains("# forces replacement") => Mark::REASON,
            _ if text.ends_with("...") && text.contains(": ") => Mark::Noise,
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let tense = |completed: &'static str, planned: &'static str| {
            if self.is_applied { completed } else { planned }
        };
        let groups = [
            (&self.created, tense("created", "to create")),
            (&self.updated, tense("modified", "to modify")),
            (&self.replaced, tense("replaced", "to replace")),
            (&self.destroyed, tense("destroyed", "to destroy")),
        ];
        let mut parts: Vec<String> = groups
            .iter()
            .filter(|(group, _)| !group.is_empty())
            .map(|(group, what)| format!("{} {what}", group.distinct_label()))
            .collect();
        if self.refreshed > 0 {
            parts.push(format!("{} refreshed", self.refreshed));
        }
        if !self.completed.is_empty() {
            parts.push(format!("done: {}", self.completed.list(5)));
        }
        if parts.is_empty() {
            return None;
        }
        let mut report =
            Report::with_summary(format!("terraform: {}", parts.join(", ")), Quotes::Default);
        for (group, what) in groups.iter().rev().filter(|(group, _)| !group.is_empty()) {
            report.add(80, format!("{what}: {}", group.names(context.max_bytes / 150)));
        }
        Some(report)
    }
}

/// Returns true for `aws_instance.web: Refreshing state... [id=i-1]`.
pub(super) fn is_refreshed(text: &str) -> bool {
    text.contains(": Refreshing state...")
}
