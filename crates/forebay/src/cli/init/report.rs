//! What `forebay init` prints: a summary, the diffs, and what was done.

use std::path::Path;

use forebay_app::agents::{Change, LeftAlone, Level, Machine, Plan};
use serde_json::{Value, json};
use similar::TextDiff;

use super::choose::Chosen;
use super::{Outcome, terminal};
use crate::cli::paint;
use crate::cli::terminal::Failure;

/// Unchanged lines around a change in a diff.
const CONTEXT_LINES: usize = 3;

/// A plan as it is shown.
pub(super) struct Report<'a> {
    pub(super) machine: &'a Machine,
    pub(super) level: Level,
    pub(super) is_undo: bool,
    pub(super) chosen: &'a Chosen,
    pub(super) plan: &'a Plan,
}

impl Report<'_> {
    /// Shows what would change: first in short, then line by line.
    pub(super) fn show_plan(&self) -> Result<(), Failure> {
        self.show_summary()?;
        for LeftAlone { path, why } in &self.plan.faults {
            let (error, path) = (paint::error("error:"), self.with_tilde(path));
            terminal::print_painted(&format!("{error} {path}: {why}; left unchanged"))?;
        }
        for remark in &self.chosen.remarks {
            terminal::print_painted(&format!("{} {remark}", paint::hint("note:")))?;
        }
        for change in &self.plan.changes {
            self.show_change(change)?;
        }
        Ok(())
    }

    fn show_summary(&self) -> Result<(), Failure> {
        if self.plan.changes.is_empty() {
            return Ok(());
        }
        terminal::print_painted(&paint::heading(&self.headline()))?;
        for change in &self.plan.changes {
            let (what, path) = (kind(change), self.with_tilde(&change.path));
            terminal::print_painted(&format!("  {what:<8} {path} ({})", change.agents.join(", ")))?;
        }
        if self.level == Level::Project && !self.is_undo {
            terminal::print_painted(
                "Once committed, these files are shared with everyone who works on the project. Where Forebay is \
                 not installed, its hooks do nothing and agents report that its MCP server did not start.",
            )?;
        }
        Ok(())
    }

    fn headline(&self) -> String {
        let place = match self.level {
            Level::User => "your own settings, for all projects",
            Level::Project => "this project",
        };
        let count = self.plan.changes.len();
        let (files, purpose) = (files(count), if self.is_undo { "to restore" } else { "to write" });
        format!("{files} {purpose} in {place}:")
    }

    fn show_change(&self, change: &Change) -> Result<(), Failure> {
        let (path, what) = (self.with_tilde(&change.path), kind(change));
        terminal::print_painted("")?;
        terminal::print_painted(&paint::heading(&format!("{path} ({what})")))?;
        difference(change)
            .lines()
            .try_for_each(|line| terminal::print_painted(&paint::diff_line(line)))
    }

    pub(super) fn show_outcome(&self, done: &Outcome) -> Result<(), Failure> {
        let left_alone = self.left_alone();
        let plan = self.plan;
        match done {
            Outcome::Shown if plan.changes.is_empty() => {
                let why =
                    if left_alone.is_empty() { left_alone } else { format!(": {left_alone}") };
                terminal::print_painted(&format!("nothing to change{why}"))
            }
            Outcome::Shown => terminal::print_painted("\nnothing was written: dry run"),
            Outcome::Declined => terminal::print_painted("nothing was written"),
            Outcome::NoTerminal => Ok(()),
            Outcome::Written(faults) => {
                for fault in faults {
                    terminal::print_painted(&format!("{} {fault}", paint::error("error:")))?;
                }
                let (written, all) = (plan.changes.len() - faults.len(), self.file_count());
                let rest = match all - plan.changes.len() {
                    0 => String::new(),
                    count => format!(", {count} left alone: {left_alone}"),
                };
                let verb = if self.is_undo { "restored or removed" } else { "written" };
                terminal::print_painted(&format!("\n{written} of {} {verb}{rest}", files(all)))
            }
        }
    }

    /// The files that the plan is about. A removal is not about files without Forebay.
    fn file_count(&self) -> usize {
        let settled = if self.is_undo { self.plan.settled.len() } else { 0 };
        self.plan.file_count() - settled
    }

    /// Which files stay as they are, and why.
    fn left_alone(&self) -> String {
        let settled = self.plan.settled.len();
        let mut reasons: Vec<String> = Vec::new();
        if settled > 0 && !self.is_undo {
            reasons.push(format!("{settled} already set up"));
        }
        let others = self.plan.skipped.iter().chain(&self.plan.faults);
        reasons.extend(others.map(|one| format!("{} ({})", self.with_tilde(&one.path), one.why)));
        reasons.join(", ")
    }

    pub(super) fn show_next_steps(&self) -> Result<(), Failure> {
        for agent in &self.chosen.agents {
            let of_project = agent.project_next_steps.filter(|_| self.level == Level::Project);
            for steps in agent.next_steps.into_iter().chain(of_project) {
                let name = paint::hint(&format!("{}:", agent.name));
                terminal::print_painted(&format!("{name} {steps}"))?;
            }
        }
        let option = if self.level == Level::Project { " --project" } else { "" };
        terminal::print_painted(&format!(
            "Restart the agents. `forebay doctor` shows how they are set up, `forebay init --undo{option}` reverts it."
        ))
    }

    pub(super) fn as_data(&self, done: &Outcome) -> Value {
        let changes: Vec<Value> = self.plan.changes.iter().map(change_as_data).collect();
        let list = |files: &[LeftAlone]| -> Vec<Value> {
            let one = |LeftAlone { path, why }: &LeftAlone| json!({ "path": path.to_string_lossy(), "why": why });
            files.iter().map(one).collect()
        };
        let faults = if let Outcome::Written(faults) = done { faults.as_slice() } else { &[] };
        json!({
            "agents": self.chosen.agents.iter().map(|agent| agent.id).collect::<Vec<_>>(),
            "level": if self.level == Level::User { "user" } else { "project" },
            "changes": changes,
            "left_alone": list(&self.plan.faults),
            "skipped": list(&self.plan.skipped),
            "already_set_up": self.plan.settled.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "remarks": self.chosen.remarks,
            "written": matches!(done, Outcome::Written(_)),
            "not_written": faults,
        })
    }

    /// A path, with `~` for the home folder.
    fn with_tilde(&self, path: &Path) -> String {
        match path.strip_prefix(self.machine.home()) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// `1 file`, `2 files`.
pub(super) fn files(count: usize) -> String {
    format!("{count} {}", if count == 1 { "file" } else { "files" })
}

fn kind(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    }
}

fn change_as_data(change: &Change) -> Value {
    json!({
        "path": change.path.to_string_lossy(),
        "agents": change.agents,
        "is_new": change.before.is_none(),
        "is_removed": change.after.is_none(),
        "difference": difference(change),
    })
}

/// The change as a unified diff, without a header.
fn difference(change: &Change) -> String {
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    let (before, after) = (text(&change.before), text(&change.after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(CONTEXT_LINES).to_string()
}
