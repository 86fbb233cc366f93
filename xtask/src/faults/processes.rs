//! Many processes that write to one store at the same time.

use std::process::Stdio;

use anyhow::Result;

use super::acknowledged::Acknowledged;
use super::{Row, Trial};

const ROUNDS: usize = 10;
const PROCESSES: usize = 32;

pub(super) fn inject(trial: &Trial) -> Result<Row> {
    let mut acknowledged = Acknowledged::default();
    let rounds = trial.repetitions(ROUNDS);
    for round in 0..rounds {
        let texts: Vec<String> =
            (0..PROCESSES).map(|number| format!("round {round}, process {number}")).collect();
        let start = |text: &String| {
            let mut note = trial.installation.forebay(&["note", text]);
            note.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
        };
        let children = texts.iter().map(start).collect::<Result<Vec<_>, _>>()?;
        for (child, text) in children.into_iter().zip(&texts) {
            let output = child.wait_with_output()?;
            if output.status.success() {
                acknowledged.add(&String::from_utf8_lossy(&output.stdout), text)?;
            }
        }
    }
    let lost = acknowledged.count_lost(&trial.installation)?;
    Ok(Row::new(rounds * PROCESSES, acknowledged.len(), lost, "held: acknowledged"))
}
