//! How fast a log becomes a digest.

use std::fs::{self, File};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::sample::Sample;
use super::stage::Stage;
use super::table::Row;
use super::{Sizes, text};

const ROUNDS: usize = 3;

pub(super) fn measure(stage: &Stage, sizes: &Sizes) -> Result<Vec<Row>> {
    let path = stage.file("whole.log");
    let log = text::log(sizes.digest_megabytes);
    fs::write(&path, &log)?;
    let megabytes = log.len() as f64 / 1e6;
    drop(log);
    let mut times = Sample::default();
    for _ in 0..ROUNDS {
        let mut digest = stage.forebay(&["digest"]);
        digest.stdin(File::open(&path)?).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let output = digest.output()?;
        times.add(started.elapsed());
        ensure!(output.status.success() && !output.stdout.is_empty(), "forebay digest failed");
    }
    let speed = megabytes / (times.median() / 1e3);
    let name = format!("digest of a log of {megabytes:.0} MB");
    Ok(vec![Row::figure(name, format!("{:.2} s ({speed:.0} MB/s)", times.median() / 1e3))])
}
