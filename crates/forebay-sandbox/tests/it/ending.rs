//! How runs end, and how they are ended.

use std::time::{Duration, Instant};

use forebay_domain::run::Ending;
use forebay_sandbox::CancelToken;

use crate::fixture::{HANG, argv, run_spec, run_then, run_with_cancel, shell, short_lived};

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;

/// Prints `ready`, then runs until it is killed.
const READY_FOR_EVER: &str = "echo ready; while :; do sleep 0.05; done";

#[test]
fn reports_exit_codes() {
    for code in [0, 1, 7, 127, 128, 255] {
        assert_eq!(run_spec(&shell(&format!("exit {code}"))).finished.ending, Ending::Exited(code));
    }
}

#[test]
fn distinguishes_signals_from_shell_exit_codes() {
    assert_eq!(run_spec(&shell("kill -9 $$")).finished.ending, Ending::Signalled(SIGKILL));
    let of_a_child = run_spec(&shell("bash -c 'kill -9 $$'; exit $?"));
    assert_eq!(of_a_child.finished.ending, Ending::Exited(137));
}

#[test]
fn timeout_keeps_the_output_and_kills_what_ignores_sigterm() {
    let run = run_spec(&short_lived(shell(&format!("trap '' TERM; {READY_FOR_EVER}"))));
    assert_eq!(run.finished.ending, Ending::TimedOut);
    assert_eq!(run.text(), "ready\n");
    assert!(run.finished.duration >= Duration::from_millis(800), "the grace was given");
}

#[test]
fn captures_output_during_the_grace_period() {
    let cleans = format!("trap 'echo cleaned; exit 0' TERM; {READY_FOR_EVER}");
    let mut spec = short_lived(shell(&cleans));
    spec.kill_grace = HANG;
    let run = run_spec(&spec);
    assert_eq!(run.finished.ending, Ending::TimedOut);
    assert_eq!(run.output.stdout, b"ready\ncleaned\n");
}

#[test]
fn terminates_a_stopped_process() {
    let mut spec = short_lived(shell("kill -STOP $$"));
    spec.kill_grace = HANG;
    assert_eq!(run_spec(&spec).finished.ending, Ending::TimedOut);
}

#[test]
fn accepts_zero_and_maximum_timeouts() {
    let mut spec = argv(&["sleep", "1000"]);
    (spec.timeout, spec.kill_grace) = (Duration::ZERO, Duration::ZERO);
    assert_eq!(run_spec(&spec).finished.ending, Ending::TimedOut);
    let mut spec = argv(&["true"]);
    (spec.timeout, spec.kill_grace) = (Duration::MAX, Duration::MAX);
    assert_eq!(run_spec(&spec).finished.ending, Ending::Exited(0));
}

#[test]
fn waits_for_a_process_that_closed_its_outputs() {
    // Not the run's own duration: on a busy machine that begins after the command.
    let started = Instant::now();
    let run = run_spec(&shell("exec >&- 2>&-; sleep 0.5; exit 3"));
    assert_eq!(run.finished.ending, Ending::Exited(3));
    assert!(started.elapsed() >= Duration::from_millis(500));
}

#[test]
fn times_out_a_process_that_closed_its_outputs() {
    let run = run_spec(&short_lived(shell("exec >&- 2>&-; sleep 1000")));
    assert_eq!(run.finished.ending, Ending::TimedOut);
}

#[test]
fn cancels_from_another_thread() {
    let run = run_then(&shell(READY_FOR_EVER), |cancel| {
        cancel.cancel();
        cancel.cancel();
        assert!(cancel.is_cancelled());
    });
    assert_eq!((run.finished.ending, run.text()), (Ending::Cancelled, "ready\n"));
}

#[test]
fn does_not_start_a_cancelled_run() {
    let cancel = CancelToken::new();
    cancel.cancel();
    let run = run_with_cancel(&shell("echo started"), &cancel);
    assert_eq!((run.finished.ending, run.text()), (Ending::Cancelled, ""));
}

#[test]
fn one_token_cancels_all_its_runs() {
    let cancel = CancelToken::new();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let runs =
            [(); 3].map(|()| scope.spawn(|| run_with_cancel(&argv(&["sleep", "1000"]), &cancel)));
        std::thread::park_timeout(Duration::from_millis(200));
        cancel.cancel();
        for run in runs {
            assert_eq!(run.join().unwrap().finished.ending, Ending::Cancelled);
        }
    });
    assert!(started.elapsed() < HANG);
}

#[test]
fn command_handles_a_forwarded_signal() {
    let handles = format!("trap 'echo interrupted; exit 5' INT; {READY_FOR_EVER}");
    let run = run_then(&shell(&handles), |cancel| cancel.forward(SIGINT));
    assert_eq!((run.finished.ending, run.text()), (Ending::Exited(5), "ready\ninterrupted\n"));
}

#[test]
fn unhandled_forwarded_signal_kills_the_command() {
    let run = run_then(&shell("echo ready; exec sleep 1000"), |cancel| cancel.forward(SIGINT));
    assert_eq!(run.finished.ending, Ending::Signalled(SIGINT));
}

#[test]
fn ignores_unknown_signals_and_signals_without_a_run() {
    let cancel = CancelToken::new();
    cancel.forward(SIGKILL);
    let run = run_then(&shell("echo ready; sleep 0.2"), |cancel| cancel.forward(-1));
    assert_eq!(run.finished.ending, Ending::Exited(0));
}
