//! Limits: a run that takes too much is ended, and says so.

use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Limit};
use forebay_sandbox::{Limits, Profile};

use crate::stage::{Ran, Stage};

/// Far above what ending a run takes on a busy machine.
const SOON: Duration = Duration::from_secs(20);

fn limited(limits: Limits, line: &str) -> Ran {
    let started = Instant::now();
    let mut stage = Stage::new(Profile::Project);
    stage.limits = limits;
    let ran = stage.run(line);
    assert!(started.elapsed() < SOON, "{line}");
    ran
}

#[test]
fn an_endless_writer_is_ended_and_what_it_wrote_is_kept() {
    let ran = limited(Limits { output: Some(100_000), ..Limits::default() }, "yes");
    assert_eq!(ran.finished.ending, Ending::OverLimit(Limit::Output));
    assert!(ran.text.len() > 100_000 && ran.text.len() < 5_000_000, "{}", ran.text.len());
}

#[test]
fn an_endless_writer_in_the_background_is_ended() {
    let ran = limited(Limits { output: Some(100_000), ..Limits::default() }, "yes & exit 3");
    assert!(ran.text.len() < 5_000_000, "{}", ran.text.len());
}

/// Each process starts two more, to a depth that bounds the damage should the limit fail.
#[test]
fn a_fork_bomb_is_ended() {
    let bomb = "f() { [ $1 -gt 0 ] && { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 30; }; f 9";
    let ran = limited(Limits { processes: Some(60), ..Limits::default() }, bomb);
    assert_eq!(ran.finished.ending, Ending::OverLimit(Limit::Processes), "{}", ran.text);
}

#[test]
fn processor_time_ends() {
    let ran = limited(Limits { cpu_seconds: Some(1), ..Limits::default() }, "while :; do :; done");
    assert!(matches!(ran.finished.ending, Ending::Signalled(_)), "{:?}", ran.finished.ending);
}

#[test]
fn memory_ends() {
    let limits = Limits { memory: Some(50_000_000), ..Limits::default() };
    let ran = limited(limits, "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}");
    assert!(!ran.text.contains("200000000"), "{}", ran.text);
}

#[test]
fn files_and_descriptors_end() {
    let small = Limits { file_size: Some(4096), ..Limits::default() };
    assert!(!limited(small, "head -c 100000 /dev/zero > big").finished.ending.is_success());
    let few = Limits { open_files: Some(20), ..Limits::default() };
    assert_eq!(limited(few, "ulimit -n").succeeded(), "20\n");
}
