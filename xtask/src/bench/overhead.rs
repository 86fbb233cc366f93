//! The overhead of `forebay run` for a command that does nothing.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::Sizes;
use super::sample::Sample;
use super::table::Row;
use crate::installation::{Installation, plain_command};
use crate::process;

pub(super) fn measure(env: &Installation, sizes: &Sizes) -> Result<Vec<Row>> {
    let (mut bare, mut wrapped) = (Sample::default(), Sample::default());
    let run = || env.forebay(&["run", "--", "true"]);
    // The first run creates the database.
    time(&mut run())?;
    for _ in 0..sizes.runs {
        bare.add(time(&mut plain_command("true"))?);
        wrapped.add(time(&mut run())?);
    }
    let remark = format!(
        "{:.2} against {:.2}; p95 {:.2} against {:.2}",
        wrapped.median(),
        bare.median(),
        wrapped.p95(),
        bare.p95()
    );
    let added = wrapped.median() - bare.median();
    Ok(vec![Row::at_most("forebay run -- true, beyond true", 5.0, added, "ms", remark)])
}

fn time(command: &mut Command) -> Result<Duration> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = Instant::now();
    let output = quiet.output()?;
    let elapsed = started.elapsed();
    ensure!(output.status.success(), "{} failed", process::command_line(command));
    Ok(elapsed)
}
