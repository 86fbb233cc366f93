//! How fast logs of several kinds become digests.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::Sizes;
use super::logs::{self, KINDS};
use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;

const ROUNDS: usize = 3;

/// The log of a service is measured in full length, the other kinds in a fifth of it.
const SHARE: usize = 5;

/// An output of a size that is common, and what its digest may take.
const SMALL: usize = 50_000;
const SMALL_ROUNDS: usize = 21;
const SMALL_MILLIS: f64 = 3.0;

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let size = sizes.digest_megabytes * 1_000_000;
    let mut rows = vec![speed(stage, "log", &logs::service(size))?];
    for kind in KINDS {
        rows.push(speed(stage, kind.name, &kind.log(size / SHARE))?);
    }
    rows.push(small(stage, "log", &logs::service(SMALL))?);
    for kind in KINDS {
        rows.push(small(stage, kind.name, &kind.log(SMALL))?);
    }
    Ok(rows)
}

fn speed(stage: &Stage, name: &str, log: &[u8]) -> Result<Row> {
    let path = stage.file("whole.log");
    fs::write(&path, log)?;
    let megabytes = log.len() as f64 / 1e6;
    let times = rounds(stage, &path, ROUNDS)?;
    let speed = megabytes / (times.median() / 1e3);
    let name = format!("digest of {megabytes:.0} MB, {name}");
    Ok(Row::figure(name, format!("{:.2} s ({speed:.0} MB/s)", times.median() / 1e3)))
}

/// What 50 KB take beyond the start of a process, which a server does not pay.
fn small(stage: &Stage, name: &str, log: &[u8]) -> Result<Row> {
    let (path, nothing) = (stage.file("small.log"), stage.file("short.log"));
    fs::write(&path, log)?;
    fs::write(&nothing, "nothing to digest\n")?;
    let whole = rounds(stage, &path, SMALL_ROUNDS)?.median();
    let start = rounds(stage, &nothing, SMALL_ROUNDS)?.median();
    let name = format!("digest of 50 KB, {name}");
    let remark = format!("start of the process {start:.1} ms");
    Ok(Row::at_most(name, SMALL_MILLIS, whole - start, "ms", remark))
}

fn rounds(stage: &Stage, path: &Path, rounds: usize) -> Result<Sample> {
    let mut times = Sample::default();
    for _ in 0..rounds {
        let mut digest = stage.forebay(&["digest"]);
        digest.stdin(File::open(path)?).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let output = digest.output()?;
        times.add(started.elapsed());
        ensure!(output.status.success() && !output.stdout.is_empty(), "forebay digest failed");
    }
    Ok(times)
}
