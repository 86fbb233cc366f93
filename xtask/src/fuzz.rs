//! `cargo xtask fuzz`: runs the fuzz targets, each for its share of the time.
//!
//! Each target first runs its committed inputs (`fuzz/inputs/TARGET`: seeds and minimised crashes of the past), then
//! mutates them. What it finds is kept below the target directory, so that the next run continues there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::workspace::{self, Metadata};
use crate::{console, process, system_packages, tools};

/// The container program of the target `bash`, and its Debian package.
const CONTAINER: (&str, &str) = ("bwrap", "bubblewrap");
/// What CI spends on all targets together.
const CI_MINUTES: f64 = 5.0;
/// Longer inputs slow a target down and show nothing that shorter ones do not.
const MAX_INPUT_BYTES: &str = "4096";

/// Run the fuzz targets and report how many inputs each one ran
#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// Minutes for all targets together
    #[arg(long, default_value_t = CI_MINUTES)]
    minutes: f64,
    /// Only these targets
    targets: Vec<String>,
}

/// What a target did.
struct Outcome {
    target: String,
    runs: u64,
    /// Path of the input that broke the target's claim.
    crash: Option<PathBuf>,
}

/// Where the tool, the build and the corpus are.
struct Fuzzer {
    tool: PathBuf,
    folder: PathBuf,
}

impl Fuzz {
    pub(crate) fn run(self) -> Result<()> {
        let fuzzer = Fuzzer::prepare()?;
        let known = fuzzer.targets()?;
        for target in &self.targets {
            ensure!(known.contains(target), "no target {target}; there are {}", known.join(", "));
        }
        let targets = if self.targets.is_empty() { known } else { self.targets };
        fuzzer.build()?;
        let share = Duration::from_secs_f64(self.minutes * 60.0 / targets.len() as f64);
        let run = |target: &String| fuzzer.run(target, share);
        report(&targets.iter().map(run).collect::<Result<Vec<_>>>()?)
    }
}

impl Fuzzer {
    fn prepare() -> Result<Self> {
        if !system_packages::is_on_path(CONTAINER.0) {
            ensure!(system_packages::can_install(), "install {} first", CONTAINER.1);
            system_packages::install(&[CONTAINER.1])?;
        }
        let folder = Metadata::read()?.target_directory.join("fuzz");
        Ok(Self { tool: tools::install(&tools::CARGO_FUZZ)?, folder })
    }

    fn targets(&self) -> Result<Vec<String>> {
        let listed = process::stdout_text(self.command().arg("list"))?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    fn build(&self) -> Result<()> {
        process::run(self.command().arg("build").args(self.flags()))
    }

    /// Runs a target for a while. A crash is an outcome, not an error.
    fn run(&self, target: &str, time: Duration) -> Result<Outcome> {
        let corpus = self.folder.join("corpus").join(target);
        let artifacts = self.folder.join("artifacts").join(target);
        for folder in [&corpus, &artifacts] {
            fs::create_dir_all(folder)?;
        }
        let mut command = self.command();
        command.arg("run").args(self.flags()).arg(target).arg(&corpus);
        let inputs = workspace::root().join("fuzz/inputs").join(target);
        command.args(inputs.is_dir().then_some(inputs));
        command.arg("--").args(self.options(target, time));
        command.arg(format!("-artifact_prefix={}/", artifacts.display()));
        let output = command.output().with_context(|| process::command_line(&command))?;
        let log = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            console::warning(tail(&log));
        }
        let crash = (!output.status.success()).then(|| newest_file(&artifacts)).transpose()?;
        Ok(Outcome { target: target.to_owned(), runs: runs_in(&log), crash: crash.flatten() })
    }

    fn options(&self, target: &str, time: Duration) -> Vec<String> {
        let mut options = vec![
            format!("-max_total_time={}", time.as_secs().max(1)),
            format!("-max_len={MAX_INPUT_BYTES}"),
            "-print_final_stats=1".to_owned(),
            "-timeout=10".to_owned(),
            "-rss_limit_mb=2048".to_owned(),
        ];
        let words = workspace::root().join(format!("fuzz/words/{target}.dict"));
        if words.is_file() {
            options.push(format!("-dict={}", words.display()));
        }
        options
    }

    /// No sanitizer: those need a nightly toolchain, and the code under test is safe Rust.
    fn flags(&self) -> [String; 4] {
        [
            "--sanitizer=none".to_owned(),
            // The tool's default of one unit for each crate compiles on one core.
            "--codegen-units=16".to_owned(),
            "--target-dir".to_owned(),
            self.folder.display().to_string(),
        ]
    }

    fn command(&self) -> Command {
        let mut command = process::command(&self.tool);
        // Coverage instrumentation is not stable yet.
        command.arg("fuzz").env("RUSTC_BOOTSTRAP", "1").current_dir(workspace::root());
        command
    }
}

/// The number of inputs that ran: libFuzzer writes it as a statistic, and at a crash in its last status line.
fn runs_in(log: &str) -> u64 {
    let statistic =
        log.lines().rev().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let status =
        log.lines().rev().find_map(|line| line.strip_prefix('#')?.split_whitespace().next());
    statistic.or(status).and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

fn newest_file(folder: &Path) -> Result<Option<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        files.push((entry.metadata()?.modified()?, entry.path()));
    }
    Ok(files.into_iter().max().map(|(_, path)| path))
}

/// The end of a log, where libFuzzer says what happened.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(25)..].join("\n")
}

/// Prints the runs of each target and fails if one crashed.
fn report(outcomes: &[Outcome]) -> Result<()> {
    for Outcome { target, runs, crash } in outcomes {
        let verdict = crash
            .as_ref()
            .map_or("held".to_owned(), |path| format!("broken by {}", path.display()));
        console::line(format!("{target:14} {runs:>12} runs  {verdict}"));
    }
    let total: u64 = outcomes.iter().map(|outcome| outcome.runs).sum();
    console::line(format!("{:14} {total:>12} runs", "total"));
    let broken: Vec<&str> = broken(outcomes).map(|outcome| outcome.target.as_str()).collect();
    ensure!(
        broken.is_empty(),
        "broken: {}. Mend the cause and add the minimised input (`cargo fuzz tmin`) to fuzz/inputs",
        broken.join(", ")
    );
    Ok(())
}

/// Targets that crashed, and those that never ran an input.
fn broken(outcomes: &[Outcome]) -> impl Iterator<Item = &Outcome> {
    outcomes.iter().filter(|outcome| outcome.crash.is_some() || outcome.runs == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_from_the_statistics_or_the_last_status_line() {
        assert_eq!(runs_in("#2\tINITED\nstat::number_of_executed_units: 168000\n"), 168_000);
        assert_eq!(runs_in("#2\tINITED cov: 1\n#4096\tpulse cov: 9\n==1== ERROR: deadly\n"), 4096);
        assert_eq!(runs_in("error: could not compile"), 0);
    }

    #[test]
    fn a_target_that_ran_nothing_is_broken() {
        let outcome = |runs, crash: Option<&str>| Outcome {
            target: "t".to_owned(),
            runs,
            crash: crash.map(PathBuf::from),
        };
        let outcomes = [outcome(5, None), outcome(0, None), outcome(9, Some("crash-1"))];
        assert_eq!(broken(&outcomes).count(), 2);
    }
}
