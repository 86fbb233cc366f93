//! Many clients at once that search one large project on a PostgreSQL server of this machine.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};
use serde_json::json;

use super::Sizes;
use super::client::Client;
use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;
use super::text::Words;
use crate::postgres::Servers;
use crate::{say, shell};

const CLIENTS: usize = 8;
const WARM_UP: usize = 50;

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let servers = match Servers::start() {
        Ok(servers) => servers,
        Err(error) => {
            say::loudly(format!("no PostgreSQL, so not measured: {error:#}"));
            return Ok(Vec::new());
        }
    };
    let stage = stage.on_server(&servers.url())?;
    let entries = 2 * sizes.documents;
    let megabytes = write_files(&stage.project().join("docs"), entries)? as f64 / 1e6;
    let started = Instant::now();
    shell::output(&mut stage.forebay(&["index", "docs"]))?;
    let seconds = started.elapsed().as_secs_f64();
    ask(&stage, 1, WARM_UP)?;
    let (times, rate) = ask(&stage, CLIENTS, sizes.queries)?;
    let (alone, _) = ask(&stage, 1, sizes.queries)?;
    let name = |what: &str| format!("PostgreSQL, {entries} entries, {CLIENTS} clients: {what}");
    let remark = format!("median {:.2}; one client alone {:.2}", times.median(), alone.median());
    Ok(vec![
        Row::claim(name("500 searches a second"), rate >= 500.0, format!("{rate:.0} a second")),
        Row::at_most(name("search, p99"), 150.0, times.p99(), "ms", remark),
        Row::figure(
            format!("PostgreSQL: index {entries} files, {megabytes:.0} MB"),
            format!("{seconds:.1} s ({:.1} MB/s)", megabytes / seconds),
        ),
    ])
}

/// Writes files, a thousand in a folder, and gives their bytes.
fn write_files(folder: &Path, count: usize) -> Result<usize> {
    let mut words = Words::new(7);
    let mut bytes = 0;
    for number in 0..count {
        let folder = folder.join(format!("{:03}", number / 1_000));
        if number % 1_000 == 0 {
            fs::create_dir_all(&folder)?;
        }
        let length = 400 + words.below(700);
        let text = format!("# {}\n\n{}\n", words.phrase(5), words.text(length));
        bytes += text.len();
        fs::write(folder.join(format!("{number}.md")), text)?;
    }
    Ok(bytes)
}

/// Has clients ask at once, each its own questions; gives what they waited and answers a second.
fn ask(stage: &Stage, clients: usize, queries: usize) -> Result<(Sample, f64)> {
    let mut started = Vec::new();
    for number in 0..clients {
        let mut client = Client::start(stage)?;
        // The first call opens the store.
        client.call("ctx_stats", &json!({}))?;
        started.push((client, Words::new(3_000 + number as u64)));
    }
    let begun = Instant::now();
    let samples: Vec<Result<Sample>> = thread::scope(|scope| {
        let asking: Vec<_> = started
            .into_iter()
            .map(|(client, words)| scope.spawn(move || ask_alone(client, words, queries)))
            .collect();
        let joined = asking
            .into_iter()
            .map(|client| client.join().unwrap_or_else(|_| Err(anyhow!("a client panicked"))));
        joined.collect()
    });
    let seconds = begun.elapsed().as_secs_f64();
    let mut times = Sample::default();
    for sample in samples {
        times.merge(sample?);
    }
    Ok((times, (clients * queries) as f64 / seconds))
}

fn ask_alone(mut client: Client, mut words: Words, queries: usize) -> Result<Sample> {
    let mut times = Sample::default();
    for _ in 0..queries {
        let length = 2 + words.below(7);
        let query = json!({ "queries": [words.phrase(length)], "limit": 5, "budget": 1200 });
        let started = Instant::now();
        client.call("ctx_search", &query)?;
        times.add(started.elapsed());
    }
    client.end()?;
    Ok(times)
}
