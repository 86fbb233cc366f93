//! Servers killed at random moments while they write.

use std::thread;
use std::time::Duration;

use anyhow::Result;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::acknowledged::Acknowledged;
use super::{Row, Trial};
use crate::mcp_client::Client;

const KILLS: usize = 1_000;
/// The longest a server lives; it answers about a thousand writes a second, on a busy machine a tenth of that.
const MAX_LIFE_MS: u64 = 200;

pub(super) fn inject(trial: &Trial) -> Result<Row> {
    let mut acknowledged = Acknowledged::default();
    let kills = trial.repetitions(KILLS);
    for kill in 0..kills {
        let life = Duration::from_millis(trial.random.below(MAX_LIFE_MS));
        write_until_killed(trial, kill, life, &mut acknowledged)?;
    }
    let lost = acknowledged.count_lost(&trial.installation)?;
    let remark = format!("{} acknowledged writes", acknowledged.len());
    Ok(Row::new(kills, kills - lost.min(kills), lost, remark))
}

fn write_until_killed(
    trial: &Trial,
    kill: usize,
    life: Duration,
    acknowledged: &mut Acknowledged,
) -> Result<()> {
    let mut client = Client::start(&trial.installation)?;
    let pid = client.pid().try_into().ok().and_then(Pid::from_raw);
    thread::scope(|scope| {
        scope.spawn(move || {
            thread::park_timeout(life);
            // Fails only if the server has ended by itself, which the next request reports.
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        });
        for number in 0.. {
            let text = format!("note {number} before kill {kill}");
            let Ok(answer) = client.call("ctx_annotate", &json!({ "text": text })) else { break };
            acknowledged.add(&answer, &text)?;
        }
        anyhow::Ok(())
    })?;
    client.end()
}
