//! Runs that wait for a start latch.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use forebay_sandbox::{
    CancelToken, Code, FinishedRun, LatchHandle, Program, RunError, RunSpec, StartLatch, prepare,
    runtimes, start_latch,
};

use crate::fixture::{Recorder, argv, in_directory, shell, with_env};

fn run_with_latch(latch: StartLatch, spec: &RunSpec) -> Result<(FinishedRun, Recorder), RunError> {
    let mut output = Recorder::default();
    let prepared = prepare(spec)?.wait_for(latch);
    prepared.run(&mut output, &CancelToken::new()).map(|finished| (finished, output))
}

/// Releases the latch after a delay in which a run without the latch would fail.
fn release_later(handle: LatchHandle, done: &Path) -> thread::JoinHandle<()> {
    let done = done.to_owned();
    thread::spawn(move || {
        let (_sender, never) = channel::<()>();
        let _ = never.recv_timeout(Duration::from_millis(300));
        fs::write(done, "").unwrap();
        handle.release();
    })
}

#[test]
fn starts_when_released() {
    let folder = tempfile::tempdir().unwrap();
    let (handle, latch) = start_latch().unwrap();
    let releaser = release_later(handle, &folder.path().join("done"));
    let spec = in_directory(shell("test -e done && printf yes"), folder.path());
    let started = Instant::now();
    let (finished, output) = run_with_latch(latch, &spec).unwrap();
    assert_eq!(output.stdout, b"yes");
    assert!(finished.duration + Duration::from_millis(200) < started.elapsed(), "{finished:?}");
    releaser.join().unwrap();
}

#[test]
fn does_not_start_when_the_handle_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let code = Code {
        runtime: runtimes::find("bash").unwrap(),
        text: "touch ran".to_owned(),
        files: Vec::new(),
        binary_cache: Some(PathBuf::from("/no/such")),
    };
    for program in [
        Program::Shell("touch ran".to_owned()),
        Program::Argv(vec!["touch".to_owned(), "ran".to_owned()]),
        Program::Code(code),
    ] {
        let (handle, latch) = start_latch().unwrap();
        drop(handle);
        let outcome = run_with_latch(latch, &RunSpec::new(program, folder.path().to_owned()));
        assert!(matches!(outcome, Err(RunError::StartAborted)), "{outcome:?}");
        assert!(!folder.path().join("ran").exists());
    }
}

#[test]
fn retried_start_is_released_again() {
    let only_sh = tempfile::tempdir().unwrap();
    symlink("/bin/sh", only_sh.path().join("sh")).unwrap();
    let (handle, latch) = start_latch().unwrap();
    handle.release();
    let spec = with_env(shell("printf $0"), "PATH", only_sh.path().to_str().unwrap());
    assert_eq!(run_with_latch(latch, &spec).unwrap().1.stdout, b"sh");
}

#[test]
fn releasing_without_a_run_has_no_effect() {
    let (handle, latch) = start_latch().unwrap();
    drop(latch);
    handle.release();
}

#[test]
fn reports_command_errors_after_the_release() {
    let (handle, latch) = start_latch().unwrap();
    handle.release();
    let outcome = run_with_latch(latch, &argv(&["/no/such/program"]));
    assert!(matches!(outcome, Err(RunError::NotFound(_))), "{outcome:?}");
}
