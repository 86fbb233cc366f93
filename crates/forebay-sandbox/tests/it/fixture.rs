//! Test fixtures: a recording sink, and runs with a time limit that only a hang exceeds.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use forebay_domain::run::{Spans, Stream};
use forebay_sandbox::{CancelToken, FinishedRun, Program, RunError, RunSpec, Sink, run};

/// More than any of these commands needs on a busy machine.
pub(crate) const HANG: Duration = Duration::from_secs(10);

/// Records the output.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) all: Vec<u8>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    spans: Spans,
}

impl Sink for Recorder {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.spans.push(stream, bytes.len() as u64);
        self.all.extend_from_slice(bytes);
        match stream {
            Stream::Stdout => self.stdout.extend_from_slice(bytes),
            Stream::Stderr => self.stderr.extend_from_slice(bytes),
        }
    }
}

/// A finished run with its output.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) finished: FinishedRun,
    pub(crate) output: Recorder,
}

impl Completed {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.output.all).unwrap()
    }
}

pub(crate) fn shell(line: &str) -> RunSpec {
    RunSpec::new(Program::Shell(line.to_owned()), "/".into())
}

pub(crate) fn argv(argv: &[&str]) -> RunSpec {
    let argv = argv.iter().map(ToString::to_string).collect();
    RunSpec::new(Program::Argv(argv), "/".into())
}

pub(crate) fn in_directory(mut spec: RunSpec, cwd: &Path) -> RunSpec {
    cwd.clone_into(&mut spec.cwd);
    spec
}

pub(crate) fn with_env(mut spec: RunSpec, name: &str, value: &str) -> RunSpec {
    spec.env.push((name.to_owned(), value.to_owned()));
    spec
}

/// Sets short timeouts, for a run that is ended by force.
pub(crate) fn short_lived(mut spec: RunSpec) -> RunSpec {
    spec.timeout = Duration::from_millis(500);
    spec.kill_grace = Duration::from_millis(300);
    spec
}

/// Runs `spec`, which must not hang.
pub(crate) fn run_spec(spec: &RunSpec) -> Completed {
    run_with_cancel(spec, &CancelToken::new())
}

pub(crate) fn run_with_cancel(spec: &RunSpec, cancel: &CancelToken) -> Completed {
    let started = Instant::now();
    let mut output = Recorder::default();
    let finished = run(spec, &mut output, cancel).unwrap();
    assert!(started.elapsed() < HANG, "it hung: {spec:?}");
    assert_eq!(finished.spans, output.spans, "the spans match the calls of the sink");
    Completed { finished, output }
}

pub(crate) fn run_error(spec: &RunSpec) -> RunError {
    let outcome = run(spec, &mut Recorder::default(), &CancelToken::new());
    let error = outcome.unwrap_err();
    assert!(error.hint().is_some(), "{error} has no hint");
    error
}

/// A recorder that notifies another thread of the first byte.
pub(crate) struct Announcer {
    first_byte: Option<Sender<()>>,
    pub(crate) recorder: Recorder,
}

impl Announcer {
    pub(crate) fn new() -> (Self, Receiver<()>) {
        let (sender, receiver) = channel();
        (Self { first_byte: Some(sender), recorder: Recorder::default() }, receiver)
    }
}

impl Sink for Announcer {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.recorder.write(stream, bytes);
        if let Some(sender) = self.first_byte.take() {
            sender.send(()).unwrap();
        }
    }
}

/// Runs `spec` and calls `act` in another thread after the first output.
pub(crate) fn run_then(
    spec: &RunSpec,
    act: impl FnOnce(&CancelToken) + Send + 'static,
) -> Completed {
    let cancel = CancelToken::new();
    let (mut announcer, first_byte) = Announcer::new();
    let handle = cancel.clone();
    let actor = std::thread::spawn(move || {
        first_byte.recv_timeout(HANG).unwrap();
        act(&handle);
    });
    let started = Instant::now();
    let finished = run(spec, &mut announcer, &cancel).unwrap();
    actor.join().unwrap();
    assert!(started.elapsed() < HANG, "it hung: {spec:?}");
    Completed { finished, output: announcer.recorder }
}
