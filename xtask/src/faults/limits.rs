//! Too few file descriptors, too little memory.

use anyhow::Result;

use super::acknowledged::Acknowledged;
use super::{Call, Row, Trial};

pub(super) fn descriptors(trial: &Trial) -> Result<Row> {
    with_limit(trial, "-n", &[4, 6, 8, 10, 12, 16, 24, 32])
}

/// Kilobytes of address space beyond what the program needs to be loaded.
const MEMORY: &[u64] = &[0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];
/// More than any build of the program needs to be loaded.
const MAX_LOADED: u64 = 1_000_000;

pub(super) fn memory(trial: &Trial) -> Result<Row> {
    let least = least_to_load(trial)?;
    let limits: Vec<u64> = MEMORY.iter().map(|more| least + more).collect();
    with_limit(trial, "-v", &limits)
}

/// The least address space that the kernel can load the program into, by bisection; with less it cannot say anything.
fn least_to_load(trial: &Trial) -> Result<u64> {
    const PRECISION: u64 = 100;
    let (mut too_little, mut enough) = (0, MAX_LOADED);
    while enough - too_little > PRECISION {
        let limit = u64::midpoint(too_little, enough);
        let script = format!("ulimit -v {limit}; exec \"$FOREBAY\" --version");
        if Call::run(&mut trial.installation.shell(&script))?.succeeded() {
            enough = limit;
        } else {
            too_little = limit;
        }
    }
    Ok(enough)
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
