//! No process of a run outlives it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Stream};
use forebay_sandbox::{CancelToken, Sink, run};
use rustix::process::Pid;

use crate::fixture::{Completed, HANG, run_spec, shell, short_lived};

/// A unique argument for `sleep` that identifies the processes of a test.
struct Marker(String);

impl Marker {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("1000.{}{number:03}", std::process::id()))
    }

    /// Returns the processes with the marker in their command line.
    fn processes(&self) -> Vec<Pid> {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| self.is_in_command_line_of(*pid)).filter_map(Pid::from_raw).collect()
    }

    fn is_in_command_line_of(&self, pid: i32) -> bool {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(self.0.len()).any(|window| window == self.0.as_bytes())
    }

    #[track_caller]
    fn assert_gone(&self) {
        assert_eq!(self.processes(), [], "processes are left over");
    }
}

/// Runs `line` with a marked sleep for `SLEEP`, and checks that no process is left.
#[track_caller]
fn run_and_check_gone(line: &str) -> Completed {
    let marker = Marker::new();
    let run = run_spec(&shell(&line.replace("SLEEP", &format!("sleep {}", marker.0))));
    marker.assert_gone();
    run
}

#[test]
fn reaps_the_leader() {
    let run = run_spec(&shell("printf $$"));
    assert!(!Path::new("/proc").join(run.text()).exists());
}

#[test]
fn ends_a_child_that_keeps_the_output_open() {
    let run = run_and_check_gone("SLEEP & echo done");
    assert_eq!((run.finished.ending, run.text()), (Ending::Exited(0), "done\n"));
    assert!(run.finished.stragglers_ended);
}

#[test]
fn ends_a_child_with_redirected_output() {
    let run = run_and_check_gone("SLEEP >/dev/null 2>&1 & exit 4");
    assert_eq!(run.finished.ending, Ending::Exited(4));
    assert!(run.finished.stragglers_ended);
}

#[test]
fn ends_a_child_that_ignores_sigterm() {
    let marker = Marker::new();
    let line = format!("trap '' TERM; sleep {} & echo done", marker.0);
    let run = run_spec(&short_lived(shell(&line)));
    marker.assert_gone();
    assert_eq!(run.finished.ending, Ending::Exited(0));
    assert!(run.finished.stragglers_ended);
}

#[test]
fn ends_a_child_that_writes_forever() {
    let run = run_spec(&shell("(while :; do echo more; sleep 0.05; done) & echo done"));
    assert_eq!(run.finished.ending, Ending::Exited(0));
    assert!(run.text().contains("done\n") && run.finished.stragglers_ended);
}

#[test]
fn lets_a_short_child_finish() {
    let run = run_spec(&shell("(sleep 0.05; echo late) & echo early"));
    assert_eq!(run.text(), "early\nlate\n");
    assert!(!run.finished.stragglers_ended);
}

#[test]
fn waits_for_a_process_substitution() {
    let run = run_spec(&shell("seq 5 > >(sleep 0.05; tac)"));
    assert_eq!(run.text(), "5\n4\n3\n2\n1\n");
}

#[test]
fn ends_a_process_in_another_session() {
    for line in [
        "setsid SLEEP & sleep 0.1; echo done",
        "(setsid sh -c 'SLEEP; :' >/dev/null 2>&1 </dev/null &); sleep 0.1; echo done",
        "setsid sh -c 'setsid sh -c \"SLEEP; :\" & sleep 0.1; exit' ; echo done",
    ] {
        let run = run_and_check_gone(line);
        assert_eq!((run.finished.ending, run.text()), (Ending::Exited(0), "done\n"), "{line}");
        assert!(run.finished.stragglers_ended, "{line}");
    }
}

#[test]
fn ends_a_daemon_that_ignores_sigterm() {
    let marker = Marker::new();
    let daemon = format!("trap '' TERM HUP; while :; do sleep {}; done", marker.0);
    let line = format!("setsid sh -c \"{daemon}\" >/dev/null 2>&1 & sleep 0.1; exit 5");
    let run = run_spec(&short_lived(shell(&line)));
    marker.assert_gone();
    assert_eq!(run.finished.ending, Ending::Exited(5));
}

/// Each process forks and exits at once, so that a list of processes is outdated when it is read.
#[test]
fn ends_a_process_that_changes_its_id() {
    let marker = Marker::new();
    let hop = format!("hop() {{ : {}; (hop &); exit; }}; hop", marker.0);
    let line = format!("setsid bash -c '{hop}' >/dev/null 2>&1 & sleep 0.1; echo done");
    assert_eq!(run_spec(&short_lived(shell(&line))).text(), "done\n");
    marker.assert_gone();
}

#[test]
fn timeout_ends_processes_in_other_sessions() {
    let marker = Marker::new();
    let line =
        format!("setsid -w sh -c 'trap \"\" TERM; setsid -w sleep {0}; sleep {0}'", marker.0);
    assert_eq!(run_spec(&short_lived(shell(&line))).finished.ending, Ending::TimedOut);
    marker.assert_gone();
}

#[test]
fn an_orphan_ends_by_itself_without_delay() {
    let started = Instant::now();
    let run = run_spec(&shell("(setsid sleep 0.05 >/dev/null 2>&1 &); echo done"));
    assert_eq!(run.text(), "done\n");
    assert!(!run.finished.stragglers_ended && started.elapsed() < Duration::from_secs(5));
}

#[test]
fn is_not_blocked_by_output_from_another_session() {
    struct Discard;
    impl Sink for Discard {
        fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
    }
    let spec = shell("read word < <(setsid sh -c 'echo away; exec yes >&2')");
    let started = Instant::now();
    let finished = run(&spec, &mut Discard, &CancelToken::new()).unwrap();
    assert_eq!(finished.ending, Ending::Exited(0));
    assert!(started.elapsed() < HANG);
}

#[test]
fn timeout_ends_children_and_grandchildren() {
    let marker = Marker::new();
    let sleep = format!("sleep {}", marker.0);
    let line = format!("{sleep} & ({sleep} & trap '' TERM; {sleep}; :) & {sleep} | {sleep}");
    assert_eq!(run_spec(&short_lived(shell(&line))).finished.ending, Ending::TimedOut);
    marker.assert_gone();
}

#[test]
fn kills_the_processes_when_the_sink_panics() {
    struct Panics;
    impl Sink for Panics {
        fn write(&mut self, _stream: Stream, _bytes: &[u8]) {
            panic!("the sink is broken");
        }
    }
    let marker = Marker::new();
    let spec = shell(&format!("sleep {0} & echo out; sleep {0}", marker.0));
    let cancel = CancelToken::new();
    assert!(catch_unwind(AssertUnwindSafe(|| run(&spec, &mut Panics, &cancel))).is_err());
    // The killed sleepers are reaped by init, which may take a moment.
    for _ in 0..100 {
        if marker.processes().is_empty() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    marker.assert_gone();
}

#[test]
fn handles_many_short_children() {
    let run =
        run_spec(&shell("for i in $(seq 300); do true & sh -c 'exit 0' & done; wait; echo ok"));
    assert_eq!((run.finished.ending, run.text()), (Ending::Exited(0), "ok\n"));
    assert!(!run.finished.stragglers_ended);
}

#[test]
fn keeps_concurrent_runs_apart() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for number in 0..20 {
                    let text = format!("{thread}-{number}");
                    assert_eq!(run_spec(&shell(&format!("printf {text}"))).text(), text);
                }
            });
        }
    });
}
