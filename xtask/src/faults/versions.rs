//! An older binary and this one on the same store.

use anyhow::Result;

use super::acknowledged::Acknowledged;
use super::{Row, Trial};

const ROUNDS: usize = 20;

pub(super) fn inject(trial: &Trial) -> Result<Row> {
    let Some(old) = &trial.old else { return Ok(Row::skipped("no --old binary was given")) };
    let new = &trial.installation;
    let old = new.with_binary(old);
    let mut acknowledged = Acknowledged::default();
    let rounds = trial.repetitions(ROUNDS);
    let mut held = 0;
    for round in 0..rounds {
        let by_old = acknowledged.note(&old, &format!("old {round}"))?;
        let by_new = acknowledged.note(new, &format!("new {round}"))?;
        // An older binary may refuse a newer store, if it says so.
        held += usize::from(by_new.succeeded() && by_old.is_bounded_and_told());
    }
    let lost = acknowledged.count_lost(new)?;
    Ok(Row::new(rounds, held, lost, format!("{} acknowledged writes", acknowledged.len())))
}
