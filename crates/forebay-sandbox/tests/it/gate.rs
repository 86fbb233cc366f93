//! A run that waits at a gate.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use forebay_sandbox::{
    Cancel, Code, Finished, Gate, Gatekeeper, Program, RunError, RunSpec, gate, prepare, runtimes,
};

use crate::stage::{Recorder, argv, in_directory, shell, with_env};

fn run_behind(gate: Gate, spec: &RunSpec) -> Result<(Finished, Recorder), RunError> {
    let mut output = Recorder::default();
    let prepared = prepare(spec)?.behind(gate);
    prepared.run(&mut output, &Cancel::new()).map(|finished| (finished, output))
}

/// Says yes after a while, in which what stands at the gate could do harm.
fn let_through_later(keeper: Gatekeeper, done: &Path) -> thread::JoinHandle<()> {
    let done = done.to_owned();
    thread::spawn(move || {
        let (_nobody_speaks, silence) = channel::<()>();
        let _ = silence.recv_timeout(Duration::from_millis(300));
        fs::write(done, "").unwrap();
        keeper.let_through();
    })
}

#[test]
fn it_begins_when_it_is_let_through() {
    let folder = tempfile::tempdir().unwrap();
    let (keeper, gate) = gate().unwrap();
    let opener = let_through_later(keeper, &folder.path().join("done"));
    let spec = in_directory(shell("test -e done && printf yes"), folder.path());
    let started = Instant::now();
    let (finished, output) = run_behind(gate, &spec).unwrap();
    assert_eq!(output.stdout, b"yes");
    assert!(finished.duration + Duration::from_millis(200) < started.elapsed(), "{finished:?}");
    opener.join().unwrap();
}

#[test]
fn it_does_not_begin_when_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let code = Code {
        runtime: runtimes::find("bash").unwrap(),
        text: "touch ran".to_owned(),
        files: Vec::new(),
        compiled: PathBuf::from("/no/such"),
    };
    for program in [
        Program::Shell("touch ran".to_owned()),
        Program::Argv(vec!["touch".to_owned(), "ran".to_owned()]),
        Program::Code(code),
    ] {
        let (keeper, gate) = gate().unwrap();
        drop(keeper);
        let outcome = run_behind(gate, &RunSpec::new(program, folder.path().to_owned()));
        assert!(matches!(outcome, Err(RunError::NotLetThrough)), "{outcome:?}");
        assert!(!folder.path().join("ran").exists());
    }
}

#[test]
fn a_start_that_is_tried_again_passes_again() {
    let only_sh = tempfile::tempdir().unwrap();
    symlink("/bin/sh", only_sh.path().join("sh")).unwrap();
    let (keeper, gate) = gate().unwrap();
    keeper.let_through();
    let spec = with_env(shell("printf $0"), "PATH", only_sh.path().to_str().unwrap());
    assert_eq!(run_behind(gate, &spec).unwrap().1.stdout, b"sh");
}

#[test]
fn who_lets_nobody_through_is_not_harmed() {
    let (keeper, gate) = gate().unwrap();
    drop(gate);
    keeper.let_through();
}

#[test]
fn what_is_wrong_with_the_command_is_told_after_the_gate() {
    let (keeper, gate) = gate().unwrap();
    keeper.let_through();
    let outcome = run_behind(gate, &argv(&["/no/such/program"]));
    assert!(matches!(outcome, Err(RunError::NotFound(_))), "{outcome:?}");
}
