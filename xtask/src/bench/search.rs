//! Indexes many documents and searches them through one server.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Sizes;
use super::sample::Sample;
use super::table::Row;
use super::text::Words;
use crate::installation::Installation;
use crate::mcp_client::Client;
use crate::process;

const WARM_UP_QUERIES: usize = 20;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let file = env.file("documents.jsonl");
    let megabytes = write_documents(&file, sizes.documents)? as f64 / 1e6;
    let path = file.to_string_lossy();
    let started = Instant::now();
    process::stdout(&mut env.forebay(&["index", "--jsonl", &path, "--source", "bench"]))?;
    let seconds = started.elapsed().as_secs_f64();
    env.wait_for_checkpoint()?;

    let stats = env.store_stats()?;
    let chunks = stats["chunks"].as_u64().unwrap_or(0);
    let disk = stats["disk_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6;
    let (times, found) = with_server(env, sizes.queries, phrases(1_000))?;
    let remark = format!("median {:.2}, {found} of {} found", times.median(), sizes.queries);
    let commands = with_commands(env, sizes.starts, phrases(2_000))?;
    Ok(vec![
        Row::at_most(format!("search in {chunks} chunks, p95"), 15.0, times.p95(), "ms", remark),
        Row::at_most(
            format!("search in {chunks} chunks by a command of its own, p95"),
            25.0,
            commands.p95(),
            "ms",
            format!("median {:.2}", commands.median()),
        ),
        Row::figure(
            format!("index {megabytes:.0} MB of text"),
            format!("{seconds:.1} s ({:.1} MB/s)", megabytes / seconds),
        ),
        Row::figure(
            "database against text",
            format!("{:.2} times ({disk:.0} MB)", disk / megabytes),
        ),
    ])
}

/// Writes documents; returns the size of their text in bytes.
pub(super) fn write_documents(path: &Path, count: usize) -> Result<usize> {
    let mut words = Words::new(7);
    let mut file = BufWriter::new(File::create(path)?);
    let mut bytes = 0;
    for id in 0..count {
        let length = 400 + words.below(700);
        let text = words.text(length);
        let line = json!({ "id": format!("d{id}"), "title": words.phrase(5), "text": text });
        bytes += text.len();
        writeln!(file, "{line}")?;
    }
    file.flush()?;
    Ok(bytes)
}

/// Generates queries of two to eight words.
fn phrases(seed: u64) -> impl FnMut() -> String {
    let mut words = Words::new(seed);
    move || {
        let length = 2 + words.below(7);
        words.phrase(length)
    }
}

/// Runs each query as a separate `forebay search` process.
pub(super) fn with_commands(
    env: &Installation,
    rounds: usize,
    mut next_query: impl FnMut() -> String,
) -> Result<Sample> {
    let mut times = Sample::default();
    for _ in 0..rounds {
        let mut command = env.forebay(&["search", "--", &next_query()]);
        let started = Instant::now();
        process::stdout(&mut command)?;
        times.add(started.elapsed());
    }
    Ok(times)
}

/// Runs queries on one server, every fifth with a typo; returns how many found something.
pub(super) fn with_server(
    env: &Installation,
    queries: usize,
    mut next_query: impl FnMut() -> String,
) -> Result<(Sample, usize)> {
    let mut client = Client::start(env)?;
    let (mut times, mut found) = (Sample::default(), 0);
    for round in 0..WARM_UP_QUERIES + queries {
        let mut query = next_query();
        if round % 5 == 0 {
            query.remove(query.floor_char_boundary(query.len() / 2));
        }
        let arguments = json!({ "queries": [query], "limit": 5, "budget": 1200 });
        let started = Instant::now();
        let answer = client.call("ctx_search", &arguments)?;
        if round >= WARM_UP_QUERIES {
            times.add(started.elapsed());
            found += usize::from(answer.contains("[ctx:"));
        }
    }
    client.end()?;
    Ok((times, found))
}
