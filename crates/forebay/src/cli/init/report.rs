//! What `forebay init` prints: a summary, the diffs, and what was done.

use std::path::Path;

use forebay_app::agents::{Level, Machine, Plan};
use serde_json::{Value, json};

use super::check::{self, Answered, Reach};
use super::choose::Chosen;
use super::{Outcome, terminal};
use crate::cli::changes::{self, files};
use crate::cli::terminal::Failure;
use crate::cli::{line_breaking, paint};

/// A plan as it is shown.
pub(super) struct Report<'a> {
    pub(super) machine: &'a Machine,
    pub(super) level: Level,
    pub(super) is_undo: bool,
    pub(super) chosen: &'a Chosen,
    pub(super) plan: &'a Plan,
}

impl Report<'_> {
    /// Shows what would change: in short, then line by line. If a question follows, the short form stands right before
    /// it, and new files are left out of the long one: they would push everything else out of the terminal.
    pub(super) fn show_plan(&self, question_follows: bool) -> Result<(), Failure> {
        let (planned, home) = (&self.plan.changes, self.machine.home());
        if question_follows && planned.iter().any(changes::is_edit) {
            changes::show_differences(planned.iter().filter(|one| changes::is_edit(one)), home)?;
            terminal::print_painted("")?;
        }
        self.show_summary()?;
        changes::show_faults(&self.plan.faults, home)?;
        for remark in &self.chosen.remarks {
            show_labelled("note", remark)?;
        }
        if question_follows { Ok(()) } else { changes::show_differences(planned, home) }
    }

    fn show_summary(&self) -> Result<(), Failure> {
        if self.plan.changes.is_empty() {
            return Ok(());
        }
        terminal::print_painted(&paint::heading(&self.headline()))?;
        changes::show_summary(&self.plan.changes, self.machine.home())?;
        if self.level == Level::Project && !self.is_undo {
            show_wrapped(
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

    /// Shows what answered, agent by agent.
    pub(super) fn show_check(&self, reached: &[Reach]) -> Result<(), Failure> {
        if reached.is_empty() {
            return Ok(());
        }
        terminal::print_painted(&paint::heading("\nCheck, with each agent's own command:"))?;
        let width = reached.iter().map(|one| one.agent.name.len()).max().unwrap_or_default() + 2;
        let columns = line_breaking::columns().unwrap_or(usize::MAX);
        for one in reached {
            let row = format!("  {:<width$}{}", one.agent.name, self.seen(one));
            terminal::print_painted(&line_breaking::line(&row, columns, width + 2))?;
        }
        if reached.iter().all(Reach::is_good) {
            return Ok(());
        }
        show_wrapped(
            "What did not answer is not usable yet: `forebay doctor --fix` mends files, `forebay doctor` checks the rest.",
        )
    }

    fn seen(&self, reach: &Reach) -> String {
        let Reach { agent, hook, tool_call } = reach;
        let shown = |name: &str, seen: &Option<Answered>| match seen {
            None => format!("no {name}"),
            Some(Ok(duration)) => format!("{name} answered in {} ms", check::millis(*duration)),
            Some(Err(why)) => format!("{name} FAILED: {why}"),
        };
        let step = if agent.has_own_step(self.level) {
            "; waits for a step of yours, see below"
        } else {
            ""
        };
        format!("{}, {}{step}", shown("hook", hook), shown("tool call", tool_call))
    }

    /// Shows what the agents need of the user.
    pub(super) fn show_next_steps(&self) -> Result<(), Failure> {
        for agent in &self.chosen.agents {
            let of_project = agent.project_next_steps.filter(|_| self.level == Level::Project);
            for steps in agent.next_steps.into_iter().chain(of_project) {
                show_labelled(agent.name, steps)?;
            }
        }
        Ok(())
    }

    pub(super) fn show_way_back(&self) -> Result<(), Failure> {
        let option = if self.level == Level::Project { " --project" } else { "" };
        show_wrapped(&format!(
            "Restart the agents. `forebay doctor` shows how they are set up, `forebay init --undo{option}` reverts it."
        ))
    }

    pub(super) fn as_data(&self, done: &Outcome, reached: &[Reach]) -> Value {
        let changes: Vec<Value> = self.plan.changes.iter().map(changes::as_data).collect();
        let faults = if let Outcome::Written(faults) = done { faults.as_slice() } else { &[] };
        json!({
            "agents": self.chosen.agents.iter().map(|agent| agent.id).collect::<Vec<_>>(),
            "level": if self.level == Level::User { "user" } else { "project" },
            "changes": changes,
            "left_alone": changes::left_alone_as_data(&self.plan.faults),
            "skipped": changes::left_alone_as_data(&self.plan.skipped),
            "already_set_up": self.plan.settled.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "remarks": self.chosen.remarks,
            "written": matches!(done, Outcome::Written(_)),
            "not_written": faults,
            "check": reached.iter().map(Reach::as_data).collect::<Vec<_>>(),
        })
    }

    fn with_tilde(&self, path: &Path) -> String {
        changes::with_tilde(path, self.machine.home())
    }
}

/// Shows a text, broken at the width of the terminal.
fn show_wrapped(text: &str) -> Result<(), Failure> {
    let columns = line_breaking::columns().unwrap_or(usize::MAX);
    terminal::print_painted(&line_breaking::line(text, columns, 2))
}

/// Shows a text after a coloured label.
fn show_labelled(label: &str, text: &str) -> Result<(), Failure> {
    let columns = line_breaking::columns().unwrap_or(usize::MAX);
    let label = format!("{label}:");
    // Colours have no width, so they come last.
    let text = line_breaking::line(&format!("{label} {text}"), columns, 2);
    terminal::print_painted(&text.replacen(&label, &paint::hint(&label), 1))
}
