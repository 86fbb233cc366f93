//! How a run ended is told exactly, and every way to end it works.

use std::time::{Duration, Instant};

use forebay_domain::run::Ending;
use forebay_sandbox::Cancel;

use crate::stage::{HANG, argv, ran, ran_until, ran_with, shell, short_lived};

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;

/// Says so, then goes on until someone ends it.
const READY_FOR_EVER: &str = "echo ready; while :; do sleep 0.05; done";

#[test]
fn exit_codes_are_exact() {
    for code in [0, 1, 7, 127, 128, 255] {
        assert_eq!(ran(&shell(&format!("exit {code}"))).finished.ending, Ending::Exited(code));
    }
}

#[test]
fn a_signal_is_told_from_the_code_a_shell_makes_of_it() {
    assert_eq!(ran(&shell("kill -9 $$")).finished.ending, Ending::Signalled(SIGKILL));
    let of_a_child = ran(&shell("bash -c 'kill -9 $$'; exit $?"));
    assert_eq!(of_a_child.finished.ending, Ending::Exited(137));
}

#[test]
fn a_timeout_keeps_the_output_and_kills_what_ignores_sigterm() {
    let ran = ran(&short_lived(shell(&format!("trap '' TERM; {READY_FOR_EVER}"))));
    assert_eq!(ran.finished.ending, Ending::TimedOut);
    assert_eq!(ran.text(), "ready\n");
    assert!(ran.finished.duration >= Duration::from_millis(800), "the grace was given");
}

#[test]
fn what_is_said_during_the_grace_is_kept() {
    let cleans = format!("trap 'echo cleaned; exit 0' TERM; {READY_FOR_EVER}");
    let mut spec = short_lived(shell(&cleans));
    spec.kill_grace = HANG;
    let ran = ran(&spec);
    assert_eq!(ran.finished.ending, Ending::TimedOut);
    assert_eq!(ran.output.stdout, b"ready\ncleaned\n");
}

#[test]
fn a_stopped_process_is_asked_like_any_other() {
    let mut spec = short_lived(shell("kill -STOP $$"));
    spec.kill_grace = HANG;
    assert_eq!(ran(&spec).finished.ending, Ending::TimedOut);
}

#[test]
fn no_time_at_all_and_endless_time_are_times_too() {
    let mut spec = argv(&["sleep", "1000"]);
    (spec.timeout, spec.kill_grace) = (Duration::ZERO, Duration::ZERO);
    assert_eq!(ran(&spec).finished.ending, Ending::TimedOut);
    let mut spec = argv(&["true"]);
    (spec.timeout, spec.kill_grace) = (Duration::MAX, Duration::MAX);
    assert_eq!(ran(&spec).finished.ending, Ending::Exited(0));
}

#[test]
fn a_process_without_outputs_is_waited_for() {
    let ran = ran(&shell("exec >&- 2>&-; sleep 0.5; exit 3"));
    assert_eq!(ran.finished.ending, Ending::Exited(3));
    assert!(ran.finished.duration >= Duration::from_millis(500));
}

#[test]
fn a_process_without_outputs_has_a_timeout() {
    let ran = ran(&short_lived(shell("exec >&- 2>&-; sleep 1000")));
    assert_eq!(ran.finished.ending, Ending::TimedOut);
}

#[test]
fn another_thread_can_cancel() {
    let ran = ran_until(&shell(READY_FOR_EVER), |cancel| {
        cancel.cancel();
        cancel.cancel();
        assert!(cancel.is_cancelled());
    });
    assert_eq!((ran.finished.ending, ran.text()), (Ending::Cancelled, "ready\n"));
}

#[test]
fn a_cancelled_run_does_not_start() {
    let cancel = Cancel::new();
    cancel.cancel();
    let ran = ran_with(&shell("echo started"), &cancel);
    assert_eq!((ran.finished.ending, ran.text()), (Ending::Cancelled, ""));
}

#[test]
fn one_cancel_ends_all_runs_it_was_given_to() {
    let cancel = Cancel::new();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let runs = [(); 3].map(|()| scope.spawn(|| ran_with(&argv(&["sleep", "1000"]), &cancel)));
        std::thread::park_timeout(Duration::from_millis(200));
        cancel.cancel();
        for run in runs {
            assert_eq!(run.join().unwrap().finished.ending, Ending::Cancelled);
        }
    });
    assert!(started.elapsed() < HANG);
}

#[test]
fn a_forwarded_signal_is_the_commands_to_handle() {
    let handles = format!("trap 'echo interrupted; exit 5' INT; {READY_FOR_EVER}");
    let ran = ran_until(&shell(&handles), |cancel| cancel.forward(SIGINT));
    assert_eq!((ran.finished.ending, ran.text()), (Ending::Exited(5), "ready\ninterrupted\n"));
}

#[test]
fn a_forwarded_signal_ends_a_command_that_does_not_handle_it() {
    let ran = ran_until(&shell("echo ready; exec sleep 1000"), |cancel| cancel.forward(SIGINT));
    assert_eq!(ran.finished.ending, Ending::Signalled(SIGINT));
}

#[test]
fn forwarding_to_nobody_or_an_unknown_signal_does_nothing() {
    let cancel = Cancel::new();
    cancel.forward(SIGKILL);
    let ran = ran_until(&shell("echo ready; sleep 0.2"), |cancel| cancel.forward(-1));
    assert_eq!(ran.finished.ending, Ending::Exited(0));
}
