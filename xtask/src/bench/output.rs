//! A very large output: memory, time, and whether all of it can be retrieved.

use std::fs;
use std::io::{BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::table::Row;
use super::{Sizes, memory, text};
use crate::installation::Installation;

/// The command prints a block of this size repeatedly.
const BLOCK_MEGABYTES: usize = 10;
/// How often the memory of the process is read.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let block = text::log(BLOCK_MEGABYTES);
    let times = sizes.output_megabytes / BLOCK_MEGABYTES;
    fs::write(env.file("block.log"), &block)?;
    let run = run(env, times)?;
    let is_complete = is_same(env, &run.reference, &block, times)?;
    let megabytes = (block.len() * times) as f64 / 1e6;
    let name = |what: &str| format!("{megabytes:.0} MB output: {what}");
    let stats = env.store_stats()?;
    let disk = stats["disk_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6;
    Ok(vec![
        Row::at_most(name("resident memory"), 60.0, run.memory, "MB", ""),
        Row::claim(name("all of it retrievable"), is_complete, "get --raw compared byte by byte"),
        Row::figure(name("time to the answer"), speed(run.answered, megabytes)),
        Row::figure(name("time until all is searchable"), speed(run.ended, megabytes)),
        Row::figure(name("database"), format!("{disk:.1} MB")),
    ])
}

fn speed(elapsed: Duration, megabytes: f64) -> String {
    let seconds = elapsed.as_secs_f64();
    format!("{seconds:.2} s ({:.0} MB/s)", megabytes / seconds)
}

/// A finished run and its measurements.
struct MeasuredRun {
    reference: String,
    memory: f64,
    answered: Duration,
    ended: Duration,
}

fn run(env: &Installation, times: usize) -> Result<MeasuredRun> {
    let block = env.file("block.log");
    let block = block.to_string_lossy();
    let command = format!("for i in $(seq {times}); do cat '{block}'; done");
    let started = Instant::now();
    let mut child = env
        .forebay(&["run", "--json", "--timeout-ms", "600000", "--", &command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (answer, answered, memory) = watch(&mut child, started)?;
    let status = child.wait()?;
    ensure!(status.success(), "forebay run: {status}");
    let answer: Value = serde_json::from_str(&answer).context("forebay run --json")?;
    let reference = answer["ref"].as_str().context("the output was not stored")?.to_owned();
    Ok(MeasuredRun { reference, memory, answered, ended: started.elapsed() })
}

/// Reads the output of a process while polling its memory.
fn watch(child: &mut Child, started: Instant) -> Result<(String, Duration, f64)> {
    let mut stdout = child.stdout.take().context("the stdout of forebay run")?;
    let (sender, printed) = mpsc::channel();
    thread::spawn(move || {
        let (mut first, mut rest) = ([0], Vec::new());
        let read = stdout.read_exact(&mut first).map(|()| started.elapsed());
        let read = read.and_then(|answered| stdout.read_to_end(&mut rest).map(|_| answered));
        let _ = sender.send(read.map(|answered| ([&first, rest.as_slice()].concat(), answered)));
    });
    let mut max = f64::NAN;
    loop {
        max = max.max(memory::peak(child.id()).unwrap_or(f64::NAN));
        match printed.recv_timeout(POLL_INTERVAL) {
            Ok(read) => {
                let (text, answered) = read?;
                return Ok((String::from_utf8(text)?, answered, max));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns whether `get --raw` prints exactly `times` blocks.
fn is_same(env: &Installation, reference: &str, block: &[u8], times: usize) -> Result<bool> {
    let mut get = env.forebay(&["get", "--raw", reference]).stdout(Stdio::piped()).spawn()?;
    let mut raw = BufReader::new(get.stdout.take().context("the stdout of forebay get")?);
    let mut same = true;
    let mut buffer = vec![0; block.len()];
    for _ in 0..times {
        same = same && raw.read_exact(&mut buffer).is_ok() && buffer == block;
    }
    same = same && raw.read(&mut buffer)? == 0;
    drop(raw);
    get.wait()?;
    Ok(same)
}
