//! Digest speed for several kinds of logs.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::Sizes;
use super::logs::{self, KINDS};
use super::sample::Sample;
use super::table::Row;
use crate::installation::Installation;

const ROUNDS: usize = 3;

/// The service log has the full size, the other kinds a fifth of it.
const SIZE_DIVISOR: usize = 5;

/// A common output size, and the time limit of its digest.
const SMALL_BYTES: usize = 50_000;
const SMALL_ROUNDS: usize = 21;
const SMALL_TARGET_MS: f64 = 3.0;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let size = sizes.digest_megabytes * 1_000_000;
    let mut rows = vec![speed(env, "log", &logs::service(size))?];
    for kind in KINDS {
        rows.push(speed(env, kind.name, &kind.log(size / SIZE_DIVISOR))?);
    }
    rows.push(small(env, "log", &logs::service(SMALL_BYTES))?);
    for kind in KINDS {
        rows.push(small(env, kind.name, &kind.log(SMALL_BYTES))?);
    }
    Ok(rows)
}

fn speed(env: &Installation, name: &str, log: &[u8]) -> Result<Row> {
    let path = env.file("whole.log");
    fs::write(&path, log)?;
    let megabytes = log.len() as f64 / 1e6;
    let times = rounds(env, &path, ROUNDS)?;
    let speed = megabytes / (times.median() / 1e3);
    let name = format!("digest of {megabytes:.0} MB, {name}");
    Ok(Row::figure(name, format!("{:.2} s ({speed:.0} MB/s)", times.median() / 1e3)))
}

/// Measures the digest of 50 KB without process start, which a server does not pay.
fn small(env: &Installation, name: &str, log: &[u8]) -> Result<Row> {
    let (path, empty) = (env.file("small.log"), env.file("short.log"));
    fs::write(&path, log)?;
    fs::write(&empty, "nothing to digest\n")?;
    let total = rounds(env, &path, SMALL_ROUNDS)?.median();
    let start = rounds(env, &empty, SMALL_ROUNDS)?.median();
    let name = format!("digest of 50 KB, {name}");
    let remark = format!("process start {start:.1} ms");
    Ok(Row::at_most(name, SMALL_TARGET_MS, total - start, "ms", remark))
}

fn rounds(env: &Installation, path: &Path, rounds: usize) -> Result<Sample> {
    let mut times = Sample::default();
    for _ in 0..rounds {
        let mut digest = env.forebay(&["digest"]);
        digest.stdin(File::open(path)?).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let output = digest.output()?;
        times.add(started.elapsed());
        ensure!(output.status.success() && !output.stdout.is_empty(), "forebay digest failed");
    }
    Ok(times)
}
