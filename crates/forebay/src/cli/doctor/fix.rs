//! `forebay doctor --fix`: shows what is wrong with set-ups, asks, and mends it.

use forebay_app::agents::{Machine, Mending, ModeChange};
use forebay_app::{AppError, Reply};
use serde_json::{Value, json};

use super::super::changes::{self, files};
use super::super::terminal::{self, Failure};
use super::super::{Common, data_folder, line_breaking, paint, running_program};

/// What was mended, as data.
pub(super) struct Mended(pub(super) Value);

/// Mends what can be mended. Fails if the user cannot be asked, or something could not be written.
pub(super) fn run(common: &Common, yes: bool) -> Result<Mended, Failure> {
    let machine = common.machine()?;
    let mending = Mending::plan(&machine, &running_program()?, data_folder()?.root());
    if mending.is_empty() {
        announce(common, "nothing to mend\n")?;
        return Ok(Mended(as_data(&mending, &[], false)));
    }
    if !common.json {
        show(&mending, &machine)?;
    }
    let reply = match (yes, common.json) {
        (true, _) => Reply::Yes,
        (false, false) => terminal::ask("\nMend this?"),
        (false, true) => Reply::Unavailable,
    };
    match reply {
        Reply::Yes => {}
        Reply::No => {
            announce(common, "nothing was mended\n")?;
            return Ok(Mended(as_data(&mending, &[], false)));
        }
        Reply::Unavailable => {
            return Err(AppError::bad_input(
                "nothing was mended: cannot ask without a terminal",
                "--yes mends without asking",
            )
            .into());
        }
    }
    let failed = mending.apply(&machine);
    for fault in &failed {
        terminal::note(fault)?;
    }
    let (attempted, left) = (mending.steps(), failed.len() + mending.plan.faults.len());
    let left = if left == 0 { String::new() } else { format!(", {left} left to you: see above") };
    announce(common, &format!("\n{} of {attempted} mended{left}\n", attempted - failed.len()))?;
    Ok(Mended(as_data(&mending, &failed, true)))
}

fn announce(common: &Common, text: &str) -> Result<(), Failure> {
    if common.json { Ok(()) } else { terminal::print_painted(text) }
}

fn show(mending: &Mending, machine: &Machine) -> Result<(), Failure> {
    let home = machine.home();
    terminal::print_painted(&paint::heading("What is wrong:"))?;
    let mut rows: Vec<String> = Vec::new();
    for finding in &mending.findings {
        let path = changes::with_tilde(&finding.path, home);
        rows.push(format!("{path} {} ({})", finding.fault, finding.agent.name));
    }
    // A file may have several things of one kind.
    rows.dedup();
    for ModeChange { path, from, to } in &mending.modes {
        let path = changes::with_tilde(path, home);
        rows.push(format!("{path} has mode {from:o} instead of {to:o}"));
    }
    for path in &mending.leftovers {
        let path = changes::with_tilde(path, home);
        rows.push(format!("{path} is left of an interrupted write, and is deleted"));
    }
    let columns = line_breaking::columns().unwrap_or(usize::MAX);
    for row in rows {
        terminal::print_painted(&line_breaking::line(&format!("  {row}"), columns, 4))?;
    }
    if !mending.plan.changes.is_empty() {
        let count = files(mending.plan.changes.len());
        terminal::print_painted(&paint::heading(&format!("\n{count} to write:")))?;
        changes::show_summary(&mending.plan.changes, home)?;
    }
    changes::show_faults(&mending.plan.faults, home)?;
    changes::show_differences(&mending.plan.changes, home)
}

fn as_data(mending: &Mending, failed: &[String], is_done: bool) -> Value {
    let findings = mending.findings.iter().map(|finding| {
        json!({
            "agent": finding.agent.id,
            "path": finding.path.to_string_lossy(),
            "fault": finding.fault.to_string(),
        })
    });
    let modes = mending.modes.iter().map(|change| {
        json!({
            "path": change.path.to_string_lossy(),
            "from": format!("{:o}", change.from),
            "to": format!("{:o}", change.to),
        })
    });
    json!({
        "done": is_done,
        "findings": findings.collect::<Vec<_>>(),
        "changes": mending.plan.changes.iter().map(changes::as_data).collect::<Vec<_>>(),
        "left_alone": changes::left_alone_as_data(&mending.plan.faults),
        "modes": modes.collect::<Vec<_>>(),
        "deleted": mending.leftovers.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "not_mended": failed,
    })
}
