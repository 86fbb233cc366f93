//! Indexing many documents, and searching them through one server.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Sizes;
use super::client::Client;
use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;
use super::text::Words;
use crate::shell;

const WARM_UP: usize = 20;

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let file = stage.file("documents.jsonl");
    let megabytes = write_documents(&file, sizes.documents)? as f64 / 1e6;
    let path = file.to_string_lossy();
    let started = Instant::now();
    shell::output(&mut stage.forebay(&["index", "--jsonl", &path, "--source", "bench"]))?;
    let seconds = started.elapsed().as_secs_f64();
    stage.wait_until_tidy()?;

    let facts = stage.store_facts()?;
    let chunks = facts["chunks"].as_u64().unwrap_or(0);
    let disk = facts["disk_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6;
    let (times, found) = in_a_server(stage, sizes.queries, phrases(1_000))?;
    let remark = format!("median {:.2}, {found} of {} found", times.median(), sizes.queries);
    let once = by_commands(stage, sizes.starts, phrases(2_000))?;
    Ok(vec![
        Row::at_most(format!("search in {chunks} chunks, p95"), 15.0, times.p95(), "ms", remark),
        Row::at_most(
            format!("search in {chunks} chunks by a command of its own, p95"),
            25.0,
            once.p95(),
            "ms",
            format!("median {:.2}", once.median()),
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

/// Writes documents and gives the bytes of their text.
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

/// Questions as long as people's are.
fn phrases(seed: u64) -> impl FnMut() -> String {
    let mut words = Words::new(seed);
    move || {
        let length = 2 + words.below(7);
        words.phrase(length)
    }
}

/// Asks as a person does: each question starts a process.
pub(super) fn by_commands(
    stage: &Stage,
    rounds: usize,
    mut question: impl FnMut() -> String,
) -> Result<Sample> {
    let mut times = Sample::default();
    for _ in 0..rounds {
        let mut command = stage.forebay(&["search", "--", &question()]);
        let started = Instant::now();
        shell::output(&mut command)?;
        times.add(started.elapsed());
    }
    Ok(times)
}

/// Asks one server, one question in five with a slip; gives how many found something.
pub(super) fn in_a_server(
    stage: &Stage,
    queries: usize,
    mut question: impl FnMut() -> String,
) -> Result<(Sample, usize)> {
    let mut client = Client::start(stage)?;
    let (mut times, mut found) = (Sample::default(), 0);
    for round in 0..WARM_UP + queries {
        let mut asked = question();
        if round % 5 == 0 {
            asked.remove(asked.floor_char_boundary(asked.len() / 2));
        }
        let query = json!({ "queries": [asked], "limit": 5, "budget": 1200 });
        let started = Instant::now();
        let answer = client.call("ctx_search", &query)?;
        if round >= WARM_UP {
            times.add(started.elapsed());
            found += usize::from(answer.contains("[ctx:"));
        }
    }
    client.end()?;
    Ok((times, found))
}
