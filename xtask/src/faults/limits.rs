//! Too few file descriptors, too little memory.

use anyhow::Result;

use super::acknowledged::Acknowledged;
use super::{Call, Row, Trial};

pub(super) fn descriptors(trial: &Trial) -> Result<Row> {
    with_limit(trial, "-n", &[4, 6, 8, 10, 12, 16, 24, 32])
}

/// Kilobytes of address space.
pub(super) fn memory(trial: &Trial) -> Result<Row> {
    with_limit(trial, "-v", &[40_000, 60_000, 80_000, 100_000, 150_000, 200_000, 400_000])
}

fn with_limit(trial: &Trial, option: &str, limits: &[u64]) -> Result<Row> {
    let mut acknowledged = Acknowledged::default();
    acknowledged.note(&trial.installation, "before")?;
    let (mut held, mut done) = (0, 0);
    for limit in limits {
        let text = format!("under ulimit {option} {limit}");
        let script = format!("ulimit {option} {limit}; exec \"$FOREBAY\" note '{text}'");
        let call = Call::run(&mut trial.installation.shell(&script))?;
        if call.succeeded() {
            acknowledged.add(&call.stdout(), &text)?;
            done += 1;
        }
        held += usize::from(call.is_bounded_and_told());
    }
    let lost = acknowledged.count_lost(&trial.installation)?;
    Ok(Row::new(limits.len(), held, lost, format!("{done} done, the others told")))
}
