//! Terraform: what is created, changed, replaced and destroyed, and why it is replaced.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::Tops;

pub(super) const FORMAT: Format = Format {
    name: "terraform",
    keeps: "the plan's sums; resources by what happens to them; what forces a replacement; errors",
    commands: &["terraform", "tofu"],
    scope: Scope::Part(&[
        "Terraform will perform",
        "Refreshing state...",
        "Apply complete!",
        "Terraform used the selected",
    ]),
    start: || Box::<Terraform>::default(),
};

#[derive(Debug, Default)]
struct Terraform {
    created: Tops,
    updated: Tops,
    replaced: Tops,
    destroyed: Tops,
    refreshed: u64,
    done: Tops,
    /// The plan was carried out.
    applied: bool,
}

impl Recognizer for Terraform {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        self.applied |=
            line.text.starts_with("Apply complete!") || line.text.starts_with("Destroy complete!");
        // What is indented further is part of a value.
        if let Some((resource, fate)) = line
            .text
            .strip_prefix("  # ")
            .and_then(|rest| rest.split_once(" will be ").or_else(|| rest.split_once(" must be ")))
        {
            let group = match fate.split(' ').next().unwrap_or_default() {
                "created" => &mut self.created,
                "updated" => &mut self.updated,
                "replaced" => &mut self.replaced,
                "destroyed" => &mut self.destroyed,
                _ => return Mark::Plain,
            };
            group.add(resource);
            return Mark::Weight(24);
        }
        if text.contains(": Refreshing state...") {
            self.refreshed += 1;
            return Mark::Noise;
        }
        if let Some((_, what)) = text.split_once(": ").filter(|_| text.contains(" complete after "))
        {
            self.done.add(what.split(' ').next().unwrap_or(what));
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

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        let said_of =
            |done: &'static str, planned: &'static str| if self.applied { done } else { planned };
        let groups = [
            (&self.created, said_of("created", "to create")),
            (&self.updated, said_of("modified", "to modify")),
            (&self.replaced, said_of("replaced", "to replace")),
            (&self.destroyed, said_of("destroyed", "to destroy")),
        ];
        let mut said: Vec<String> = groups
            .iter()
            .filter(|(group, _)| !group.is_empty())
            .map(|(group, what)| format!("{} {what}", group.distinct_said()))
            .collect();
        if self.refreshed > 0 {
            said.push(format!("{} refreshed", self.refreshed));
        }
        if !self.done.is_empty() {
            said.push(format!("done: {}", self.done.list(5)));
        }
        if said.is_empty() {
            return None;
        }
        let mut report = Report::of(format!("terraform: {}", said.join(", ")), Quotes::Usual);
        for (group, what) in groups.iter().rev().filter(|(group, _)| !group.is_empty()) {
            report.add(80, format!("{what}: {}", group.names(end.room / 150)));
        }
        Some(report)
    }
}
