//! Resource limits end a run and are reported.

use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Limit};
use forebay_sandbox::{Limits, Profile};

use crate::fixture::{Completed, Fixture};

/// More than ending a run takes on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(20);

fn run_limited(limits: Limits, line: &str) -> Completed {
    let started = Instant::now();
    let mut fixture = Fixture::new(Profile::Project);
    fixture.limits = limits;
    let run = fixture.run(line);
    assert!(started.elapsed() < TIME_LIMIT, "{line}");
    run
}

#[test]
fn output_limit_ends_the_run_and_keeps_the_output() {
    let run = run_limited(Limits { output: Some(100_000), ..Limits::default() }, "yes");
    assert_eq!(run.finished.ending, Ending::OverLimit(Limit::Output));
    assert!(run.text.len() > 100_000 && run.text.len() < 1_000_000, "{}", run.text.len());
}

#[test]
fn output_limit_ends_a_background_writer() {
    let run = run_limited(Limits { output: Some(100_000), ..Limits::default() }, "yes & exit 3");
    assert!(run.text.len() < 1_000_000, "{}", run.text.len());
}

/// Each process starts two more, to a depth that bounds the damage if the limit fails.
#[test]
fn process_limit_ends_a_fork_bomb() {
    let bomb = "f() { [ $1 -gt 0 ] && { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 30; }; f 9";
    let run = run_limited(Limits { processes: Some(60), ..Limits::default() }, bomb);
    assert_eq!(run.finished.ending, Ending::OverLimit(Limit::Processes), "{}", run.text);
}

#[test]
fn process_limit_counts_processes_in_other_sessions() {
    let many = "for n in $(seq 100); do setsid sleep 30 & done; wait";
    let run = run_limited(Limits { processes: Some(60), ..Limits::default() }, many);
    assert_eq!(run.finished.ending, Ending::OverLimit(Limit::Processes), "{}", run.text);
}

#[test]
fn cpu_limit_ends_the_run() {
    let run =
        run_limited(Limits { cpu_seconds: Some(1), ..Limits::default() }, "while :; do :; done");
    assert!(matches!(run.finished.ending, Ending::Signalled(_)), "{:?}", run.finished.ending);
}

#[test]
fn memory_limit_applies() {
    let limits = Limits { memory: Some(50_000_000), ..Limits::default() };
    let run = run_limited(limits, "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}");
    assert!(!run.text.contains("200000000"), "{}", run.text);
}

#[test]
fn file_size_and_descriptor_limits_apply() {
    let small = Limits { file_size: Some(4096), ..Limits::default() };
    assert!(!run_limited(small, "head -c 100000 /dev/zero > big").finished.ending.is_success());
    let few = Limits { open_files: Some(20), ..Limits::default() };
    assert_eq!(run_limited(few, "ulimit -n").succeeded(), "20\n");
}
