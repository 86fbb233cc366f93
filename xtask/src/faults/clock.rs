//! A clock that jumps, by libfaketime.

use anyhow::Result;

use super::acknowledged::Acknowledged;
use super::{Call, Row, Trial};
use crate::system_packages;

/// Each is the time of one write.
const TIMES: &[&str] = &[
    "1970-01-02 00:00:00",
    "2038-01-19 03:14:08",
    "1999-12-31 23:59:59",
    "2100-02-28 12:00:00",
    "2026-01-01 00:00:00",
    "2025-12-31 23:59:59",
    "+10d",
    "-10d",
];

pub(super) fn inject(trial: &Trial) -> Result<Row> {
    if !system_packages::is_on_path("faketime") {
        if !system_packages::can_install() {
            return Ok(Row::skipped("faketime is not installed"));
        }
        system_packages::install(&["faketime"])?;
    }
    let mut acknowledged = Acknowledged::default();
    let mut held = 0;
    for (number, time) in TIMES.iter().enumerate() {
        let text = format!("written at step {number}");
        let script = format!("exec faketime -f '{time}' \"$FOREBAY\" note '{text}'");
        let call = Call::run(&mut trial.installation.shell(&script))?;
        if call.succeeded() {
            acknowledged.add(&call.stdout(), &text)?;
            held += 1;
        }
    }
    let lost = acknowledged.count_lost(&trial.installation)?;
    let order = Call::run(&mut trial.installation.forebay(&["history", "--all"]))?.stdout();
    let positions: Vec<Option<usize>> =
        (0..TIMES.len()).map(|number| order.find(&format!("written at step {number}"))).collect();
    // Newest first, by sequence and not by the clock.
    let in_order = positions.windows(2).all(|pair| pair[0] > pair[1]);
    let held = if in_order { held } else { 0 };
    Ok(Row::new(TIMES.len(), held, lost, if in_order { "" } else { "history is out of order" }))
}
