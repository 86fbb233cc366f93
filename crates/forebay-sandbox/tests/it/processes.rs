//! No process of a run is left when it is over.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Stream};
use forebay_sandbox::{Cancel, Sink, run};
use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{HANG, Ran, ran, shell, short_lived};

/// A time to sleep that no other process on this machine sleeps, by which its sleepers are found.
struct Marker(String);

impl Marker {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("1000.{}{number:03}", std::process::id()))
    }

    /// The processes that carry the marker, in a shell's line or as a sleeper.
    fn carriers(&self) -> Vec<Pid> {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| self.is_carried_by(*pid)).filter_map(Pid::from_raw).collect()
    }

    fn is_carried_by(&self, pid: i32) -> bool {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(self.0.len()).any(|window| window == self.0.as_bytes())
    }

    #[track_caller]
    fn assert_gone(&self) {
        assert_eq!(self.carriers(), [], "processes are left");
    }
}

/// Runs `line` with the marker for `SLEEP`, and checks that nothing of it is left.
#[track_caller]
fn ran_and_gone(line: &str) -> Ran {
    let marker = Marker::new();
    let ran = ran(&shell(&line.replace("SLEEP", &format!("sleep {}", marker.0))));
    marker.assert_gone();
    ran
}

#[test]
fn the_leader_is_reaped() {
    let ran = ran(&shell("printf $$"));
    assert!(!Path::new("/proc").join(ran.text()).exists());
}

#[test]
fn a_child_that_keeps_the_output_ends_with_the_run() {
    let ran = ran_and_gone("SLEEP & echo done");
    assert_eq!((ran.finished.ending, ran.text()), (Ending::Exited(0), "done\n"));
    assert!(ran.finished.stragglers_ended);
}

#[test]
fn a_child_that_keeps_nothing_ends_with_the_run() {
    let ran = ran_and_gone("SLEEP >/dev/null 2>&1 & exit 4");
    assert_eq!(ran.finished.ending, Ending::Exited(4));
    assert!(ran.finished.stragglers_ended);
}

#[test]
fn a_child_that_ignores_sigterm_ends_with_the_run() {
    let marker = Marker::new();
    let line = format!("trap '' TERM; sleep {} & echo done", marker.0);
    let ran = ran(&short_lived(shell(&line)));
    marker.assert_gone();
    assert_eq!(ran.finished.ending, Ending::Exited(0));
    assert!(ran.finished.stragglers_ended);
}

#[test]
fn a_child_that_writes_for_ever_ends_with_the_run() {
    let ran = ran(&shell("(while :; do echo more; sleep 0.05; done) & echo done"));
    assert_eq!(ran.finished.ending, Ending::Exited(0));
    assert!(ran.text().contains("done\n") && ran.finished.stragglers_ended);
}

#[test]
fn a_child_that_is_soon_done_may_finish() {
    let ran = ran(&shell("(sleep 0.05; echo late) & echo early"));
    assert_eq!(ran.text(), "early\nlate\n");
    assert!(!ran.finished.stragglers_ended);
}

#[test]
fn the_end_of_a_substituted_process_is_waited_for() {
    let ran = ran(&shell("seq 5 > >(sleep 0.05; tac)"));
    assert_eq!(ran.text(), "5\n4\n3\n2\n1\n");
}

#[test]
fn a_process_in_another_session_cannot_hold_the_run() {
    let marker = Marker::new();
    let flight = format!("setsid sh -c 'echo away; exec sleep {}'", marker.0);
    let ran = ran(&shell(&format!("read word < <({flight}); echo $word")));
    assert_eq!((ran.finished.ending, ran.text()), (Ending::Exited(0), "away\n"));
    let escaped = marker.carriers();
    assert_eq!(escaped.len(), 1, "it was to keep the output open from outside the group");
    kill_process(escaped[0], Signal::KILL).unwrap();
}

#[test]
fn a_flood_from_another_session_cannot_hold_the_run() {
    struct Discards;
    impl Sink for Discards {
        fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
    }
    let spec = shell("read word < <(setsid sh -c 'echo away; exec yes >&2')");
    let started = Instant::now();
    let finished = run(&spec, &mut Discards, &Cancel::new()).unwrap();
    assert_eq!(finished.ending, Ending::Exited(0));
    assert!(started.elapsed() < HANG);
}

#[test]
fn a_timeout_ends_children_and_grandchildren() {
    let marker = Marker::new();
    let sleep = format!("sleep {}", marker.0);
    let line = format!("{sleep} & ({sleep} & trap '' TERM; {sleep}; :) & {sleep} | {sleep}");
    assert_eq!(ran(&short_lived(shell(&line))).finished.ending, Ending::TimedOut);
    marker.assert_gone();
}

#[test]
fn a_panic_of_the_sink_leaves_nothing_behind() {
    struct Panics;
    impl Sink for Panics {
        fn write(&mut self, _stream: Stream, _bytes: &[u8]) {
            panic!("the sink is broken");
        }
    }
    let marker = Marker::new();
    let spec = shell(&format!("sleep {0} & echo out; sleep {0}", marker.0));
    let cancel = Cancel::new();
    assert!(catch_unwind(AssertUnwindSafe(|| run(&spec, &mut Panics, &cancel))).is_err());
    // Killed, but not reaped by us: the sleepers are init's children and may take a moment.
    for _ in 0..100 {
        if marker.carriers().is_empty() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    marker.assert_gone();
}

#[test]
fn many_short_children_are_no_trouble() {
    let ran = ran(&shell("for i in $(seq 300); do true & sh -c 'exit 0' & done; wait; echo ok"));
    assert_eq!((ran.finished.ending, ran.text()), (Ending::Exited(0), "ok\n"));
    assert!(!ran.finished.stragglers_ended);
}

#[test]
fn many_runs_at_once_do_not_mix() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for number in 0..20 {
                    let text = format!("{thread}-{number}");
                    assert_eq!(ran(&shell(&format!("printf {text}"))).text(), text);
                }
            });
        }
    });
}
