//! Many runs of one server: concurrent, consecutive, with and without isolation.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::sample::Sample;
use super::table::Row;
use super::{Sizes, memory};
use crate::installation::Installation;
use crate::mcp_client::Client;

/// The size limit of SQLite's page cache.
const PAGE_CACHE_MEGABYTES: f64 = 2.1;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let mut client = Client::start(env)?;
    client.call("ctx_execute", &json!({ "code": "true" }))?;
    let mut rows =
        vec![concurrent(&mut client)?, memory_growth(&mut client, sizes.consecutive_runs)?];
    client.end()?;
    rows.push(isolation(env, sizes.runs)?);
    Ok(rows)
}

fn concurrent(client: &mut Client) -> Result<Row> {
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

/// The first tenth of the runs fills caches and pools; after it memory must not grow.
fn memory_growth(client: &mut Client, runs: usize) -> Result<Row> {
    let mut after_tenth = 0.0;
    for number in 0..runs {
        client.call("ctx_execute", &json!({ "code": "echo a line of output" }))?;
        if number == runs / 10 {
            after_tenth = memory::resident(client.pid()).context("no /proc")?;
        }
    }
    let at_end = memory::resident(client.pid()).context("no /proc")?;
    let measured = format!("{after_tenth:.1} MB after a tenth, {at_end:.1} MB after all");
    // The store's page cache still fills, up to its limit; a leak would exceed it.
    let holds = at_end < after_tenth + PAGE_CACHE_MEGABYTES;
    Ok(Row::claim(format!("no growth of memory over {runs} runs"), holds, measured))
}

/// Alternates the same run between a server with isolation and one without.
fn isolation(env: &Installation, runs: usize) -> Result<Row> {
    let mut isolated = Client::start_with(env, &["--set", "isolation.profile=project"])?;
    let mut open = Client::start_with(env, &["--set", "isolation.profile=off"])?;
    let (mut with, mut without) = (Sample::default(), Sample::default());
    for round in 0..=runs {
        for (client, sample) in [(&mut isolated, &mut with), (&mut open, &mut without)] {
            let started = Instant::now();
            client.call("ctx_execute", &json!({ "code": "true" }))?;
            // The first round opens the store.
            if round > 0 {
                sample.add(started.elapsed());
            }
        }
    }
    isolated.end()?;
    open.end()?;
    let remark = format!("{:.2} against {:.2}", with.median(), without.median());
    let added = with.median() - without.median();
    Ok(Row::at_most("isolation adds to a run", 5.0, added, "ms", remark))
}
