//! Many runs of one server: at the same time, one after the other, held back or not.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::client::Client;
use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;
use super::{Sizes, memory};

/// What SQLite keeps of the database in memory, at most.
const PAGE_CACHE_MB: f64 = 2.1;

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut client = Client::start(stage)?;
    client.call("ctx_execute", &json!({ "code": "true" }))?;
    let mut rows = vec![at_once(&mut client)?, growth(&mut client, sizes.runs_in_a_row)?];
    client.end()?;
    rows.push(isolation(stage, sizes.runs)?);
    Ok(rows)
}

fn at_once(client: &mut Client) -> Result<Row> {
    const ROUNDS: usize = 5;
    let commands: Vec<_> = (0..8).map(|_| json!({ "code": "sleep 0.2" })).collect();
    let mut sample = Sample::default();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        client.call("ctx_batch_execute", &json!({ "commands": commands, "concurrency": 8 }))?;
        sample.add(started.elapsed());
    }
    Ok(Row::at_most("8 runs of sleep 0.2 at once", 400.0, sample.median(), "ms", ""))
}

/// The first tenth fills caches and pools; after it nothing may grow.
fn growth(client: &mut Client, runs: usize) -> Result<Row> {
    let mut after_a_tenth = 0.0;
    for number in 0..runs {
        client.call("ctx_execute", &json!({ "code": "echo a line of output" }))?;
        if number == runs / 10 {
            after_a_tenth = memory::resident(client.process()).context("no /proc")?;
        }
    }
    let at_the_end = memory::resident(client.process()).context("no /proc")?;
    let measured = format!("{after_a_tenth:.1} MB after a tenth, {at_the_end:.1} MB after all");
    // Meanwhile the store's page cache fills, which is bounded; a leak would go on.
    let holds = at_the_end < after_a_tenth + PAGE_CACHE_MB;
    Ok(Row::claim(format!("no growth of memory over {runs} runs"), holds, measured))
}

/// The same run in two servers, in turns.
fn isolation(stage: &Stage, runs: usize) -> Result<Row> {
    let mut held = Client::start_with(stage, &["--set", "isolation.profile=project"])?;
    let mut free = Client::start_with(stage, &["--set", "isolation.profile=off"])?;
    let (mut with, mut without) = (Sample::default(), Sample::default());
    for round in 0..=runs {
        for (client, sample) in [(&mut held, &mut with), (&mut free, &mut without)] {
            let started = Instant::now();
            client.call("ctx_execute", &json!({ "code": "true" }))?;
            // The first opens the store.
            if round > 0 {
                sample.add(started.elapsed());
            }
        }
    }
    held.end()?;
    free.end()?;
    let remark = format!("{:.2} against {:.2}", with.median(), without.median());
    let added = with.median() - without.median();
    Ok(Row::at_most("isolation adds to a run", 5.0, added, "ms", remark))
}
