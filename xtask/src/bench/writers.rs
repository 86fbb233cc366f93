//! Four processes that write entries of 10 KB concurrently; checks that no entry is lost.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};
use serde_json::json;

use super::Sizes;
use super::sample::Sample;
use super::table::Row;
use super::text::Words;
use crate::installation::Installation;
use crate::mcp_client::Client;

const WRITERS: usize = 4;
const NOTE_BYTES: usize = 10_000;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let start = Barrier::new(WRITERS);
    let samples: Vec<Result<Sample>> = thread::scope(|scope| {
        let (start, count) = (&start, sizes.notes_per_writer);
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| scope.spawn(move || write(env, number, count, start)))
            .collect();
        let joined = writers
            .into_iter()
            .map(|writer| writer.join().unwrap_or_else(|_| Err(anyhow!("a writer panicked"))));
        joined.collect()
    });
    let mut times = Sample::default();
    for sample in samples {
        times.merge(sample?);
    }
    let alone = write(env, WRITERS, sizes.notes_per_writer, &Barrier::new(1))?;
    let (stored, written) = (stored_notes(env)?, (WRITERS + 1) * sizes.notes_per_writer);
    let remark = format!("p95 {:.2}; one process alone {:.2}", times.p95(), alone.median());
    Ok(vec![
        Row::at_most("10 KB entry, 4 processes at once", 2.0, times.median(), "ms", remark),
        Row::claim("10 KB entries: none lost", stored == written, format!("{stored} of {written}")),
    ])
}

/// Writes notes through a separate server and measures each round trip.
fn write(env: &Installation, number: usize, count: usize, start: &Barrier) -> Result<Sample> {
    let mut words = Words::new(number as u64 + 1);
    let client = Client::start(env).and_then(|mut client| {
        // The first call opens the store.
        client.call("ctx_stats", &json!({}))?;
        Ok(client)
    });
    start.wait();
    let mut client = client?;
    let mut times = Sample::default();
    for _ in 0..count {
        let note = json!({ "text": words.text(NOTE_BYTES) });
        let started = Instant::now();
        client.call("ctx_annotate", &note)?;
        times.add(started.elapsed());
    }
    client.end()?;
    Ok(times)
}

fn stored_notes(env: &Installation) -> Result<usize> {
    Ok(env.store_stats()?["entries"]["note"].as_u64().unwrap_or(0) as usize)
}
