//! `forebay serve` on a local PostgreSQL server: concurrent clients search one large project.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Sizes;
use super::sample::Sample;
use super::serve::{self, CONNECTIONS};
use super::table::Row;
use super::text::Words;
use crate::installation::Installation;
use crate::mcp_client::Client;
use crate::postgres::Servers;
use crate::{console, process};

/// Searches of a single client with its own server process.
const SINGLE_CLIENT_SEARCHES: usize = 200;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let servers = match Servers::start() {
        Ok(servers) => servers,
        Err(error) => {
            console::warning(format!("not measured, PostgreSQL cannot be started: {error:#}"));
            return Ok(Vec::new());
        }
    };
    let env = env.with_store(&servers.url())?;
    let entries = 2 * sizes.documents;
    let megabytes = write_files(&env.project().join("docs"), entries)? as f64 / 1e6;
    let started = Instant::now();
    process::stdout(&mut env.forebay(&["index", "docs"]))?;
    let seconds = started.elapsed().as_secs_f64();
    let server = serve::start(&env)?;
    // A new server queries PostgreSQL until it has loaded the whole index; the two phases are measured apart.
    let first = serve::load(&server, sizes.requests / 4, &serve::search)?;
    let searches = serve::load(&server, sizes.requests, &serve::search)?;
    drop(server);
    let single = search_alone(&env)?;
    let name =
        |what: &str| format!("PostgreSQL, {entries} entries, {CONNECTIONS} connections: {what}");
    let (rate, times) = (searches.rate(), &searches.times);
    let remark = format!("median {:.2}", times.median());
    Ok(vec![
        Row::at_least(name("searches"), 500.0, rate, "/s", ""),
        Row::at_most(name("search, p99"), 150.0, times.p99(), "ms", remark),
        Row::figure(
            name("the first searches of a new server"),
            format!(
                "{:.0}/s, median {:.2} ms, p99 {:.2}, before the measurements above",
                first.rate(),
                first.times.median(),
                first.times.p99()
            ),
        ),
        Row::figure(
            "PostgreSQL: search by a process of one's own",
            format!("median {:.2} ms, p99 {:.2}", single.median(), single.p99()),
        ),
        Row::figure(
            format!("PostgreSQL: index {entries} files, {megabytes:.0} MB"),
            format!("{seconds:.1} s ({:.1} MB/s)", megabytes / seconds),
        ),
    ])
}

/// Writes files, a thousand per folder; returns their size in bytes.
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

/// Measures the searches of a single MCP client without concurrent load.
fn search_alone(env: &Installation) -> Result<Sample> {
    let mut client = Client::start(env)?;
    let mut words = Words::new(3_000);
    let mut times = Sample::default();
    for _ in 0..SINGLE_CLIENT_SEARCHES {
        let length = 2 + words.below(7);
        let query = json!({ "queries": [words.phrase(length)], "limit": 5, "budget": 1200 });
        let started = Instant::now();
        client.call("ctx_search", &query)?;
        times.add(started.elapsed());
    }
    client.end()?;
    Ok(times)
}
