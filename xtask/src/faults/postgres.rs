//! A PostgreSQL server that restarts, hangs, or is gone.

use anyhow::Result;

use super::acknowledged::Acknowledged;
use super::{Call, Row, Trial};
use crate::postgres::Server;

const RESTARTS: usize = 10;

pub(super) fn restart(trial: &Trial) -> Result<Row> {
    let Some(server) = start() else { return Ok(no_server()) };
    let installation = trial.installation.with_store(&server.url())?;
    let mut acknowledged = Acknowledged::default();
    let restarts = trial.repetitions(RESTARTS);
    let mut held = 0;
    for number in 0..restarts {
        acknowledged.note(&installation, &format!("before restart {number}"))?;
        server.restart()?;
        let after = acknowledged.note(&installation, &format!("after restart {number}"))?;
        held += usize::from(after.succeeded());
    }
    let lost = acknowledged.count_lost(&installation)?;
    Ok(Row::new(restarts, held, lost, format!("{} acknowledged writes", acknowledged.len())))
}

pub(super) fn pause(trial: &Trial) -> Result<Row> {
    let Some(server) = start() else { return Ok(no_server()) };
    let installation = trial.installation.with_store(&server.url())?;
    let mut acknowledged = Acknowledged::default();
    acknowledged.note(&installation, "before the pause")?;
    let paused = server.pause()?;
    let during = Call::run(&mut installation.forebay(&["note", "during the pause"]))?;
    let read = Call::run(&mut installation.forebay(&["search", "pause"]))?;
    drop(paused);
    let after = acknowledged.note(&installation, "after the pause")?;
    let held = [during.is_bounded_and_told(), read.is_bounded_and_told(), after.succeeded()];
    let lost = acknowledged.count_lost(&installation)?;
    let remark = format!("a write took {:.1} s", during.time.as_secs_f64());
    Ok(Row::new(held.len(), held.iter().filter(|held| **held).count(), lost, remark))
}

pub(super) fn cut_off(trial: &Trial) -> Result<Row> {
    let Some(server) = start() else { return Ok(no_server()) };
    let installation = trial.installation.with_store(&server.url())?;
    let mut acknowledged = Acknowledged::default();
    acknowledged.note(&installation, "while it was there")?;
    drop(server);
    let calls = [vec!["note", "x"], vec!["search", "x"], vec!["run", "--", "echo", "x"]];
    let mut held = 0;
    let mut slowest = 0.0_f64;
    for arguments in &calls {
        let call = Call::run(&mut installation.forebay(arguments))?;
        held += usize::from(call.is_bounded_and_told());
        slowest = slowest.max(call.time.as_secs_f64());
    }
    Ok(Row::new(calls.len(), held, 0, format!("slowest {slowest:.1} s")))
}

fn start() -> Option<Server> {
    Server::start_one().ok()
}

fn no_server() -> Row {
    Row::skipped("PostgreSQL cannot be started")
}
