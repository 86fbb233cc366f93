//! One run, from the checks to the result.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Spans};

use crate::capture::{Capture, Sink};
use crate::isolation::{ControlFiles, Sandbox, can_freeze_files};
use crate::process_tree::ProcessTree;
use crate::spawn::{SpawnOptions, spawn};
use crate::spec::{Program, RunSpec};
use crate::start::{StartedProcess, Stderr};
use crate::start_latch::StartLatch;
use crate::stdin_writer::StdinWriter;
use crate::supervise::{Streams, Supervisor};
use crate::{CancelToken, RunError, runtimes};

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    pub ending: Ending,
    /// From the start to the exit of the leader.
    pub duration: Duration,
    pub spans: Spans,
    /// Whether processes outlived the leader and were terminated.
    pub stragglers_ended: bool,
    /// Control files that the run has made, which were renamed.
    pub set_aside: Vec<PathBuf>,
    /// Control files that existed before and were changed while it ran, where this system cannot freeze them.
    pub changed: Vec<PathBuf>,
}

/// A checked run that is ready to start.
pub struct PreparedRun<'a> {
    spec: &'a RunSpec,
    /// None for code: its engine is located and sandboxed when it runs.
    sandbox: Option<Sandbox>,
    latch: Option<StartLatch>,
}

/// Checks `spec` and prepares its sandbox without starting anything.
pub fn prepare(spec: &RunSpec) -> Result<PreparedRun<'_>, RunError> {
    spec.check()?;
    let sandbox = match spec.program {
        Program::Code(_) => None,
        Program::Shell(_) | Program::Argv(_) => Some(sandbox(spec)?),
    };
    Ok(PreparedRun { spec, sandbox, latch: None })
}

/// Runs `spec` to its end and passes all output to `sink`.
pub fn run(
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &CancelToken,
) -> Result<FinishedRun, RunError> {
    prepare(spec)?.run(sink, cancel)
}

impl PreparedRun<'_> {
    /// Makes the run wait for `latch` before it executes the program.
    #[must_use]
    pub fn wait_for(self, latch: StartLatch) -> Self {
        Self { latch: Some(latch), ..self }
    }

    /// Runs to the end and passes all output to `sink`.
    ///
    /// Returns when all processes of the run are gone, whether it exited, timed out or was cancelled. A run
    /// that is cancelled before its start does not start.
    pub fn run(self, sink: &mut dyn Sink, cancel: &CancelToken) -> Result<FinishedRun, RunError> {
        if cancel.is_cancelled() {
            return Ok(cancelled_before_start());
        }
        let control_files = ControlFiles::look(&self.spec.isolation);
        let finished = self.run_program(sink, cancel);
        let changed = if can_freeze_files() { Vec::new() } else { control_files.changed() };
        let set_aside = control_files.set_aside();
        Ok(FinishedRun { set_aside, changed, ..finished? })
    }

    fn run_program(
        self,
        sink: &mut dyn Sink,
        cancel: &CancelToken,
    ) -> Result<FinishedRun, RunError> {
        match (&self.spec.program, self.sandbox) {
            (Program::Code(code), _) => {
                if let Some(latch) = self.latch {
                    latch.wait().map_err(|_| RunError::StartAborted)?;
                }
                runtimes::run(code, self.spec, sink, cancel)
            }
            (_, Some(sandbox)) => {
                let latch = self.latch.map(Arc::new);
                let options = SpawnOptions { sandbox, latch, stderr: Stderr::Piped };
                run_with(options, self.spec, sink, cancel)
            }
            (_, None) => run_process(self.spec, sink, cancel),
        }
    }
}

/// Runs a shell line or an argument list, without a latch.
pub(crate) fn run_process(
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &CancelToken,
) -> Result<FinishedRun, RunError> {
    let options = SpawnOptions { sandbox: sandbox(spec)?, latch: None, stderr: Stderr::Piped };
    run_with(options, spec, sink, cancel)
}

fn sandbox(spec: &RunSpec) -> Result<Sandbox, RunError> {
    Sandbox::new(&spec.isolation)
}

fn run_with(
    options: SpawnOptions,
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &CancelToken,
) -> Result<FinishedRun, RunError> {
    // Create the wake pipe first: a run that could not be cancelled must not start.
    cancel.wake().map_err(RunError::io("create the cancellation pipe"))?;
    let (process, options) = spawn_or_retry(options, spec)?;
    let started = Instant::now();
    let StartedProcess { processes, stdin, stdout, stderr } = process;
    // Built first: dropping it kills the processes on every early return.
    let tree = ProcessTree::new(processes, cancel);
    let _supervisor = options.sandbox.supervise().map_err(RunError::io("supervise the command"))?;
    let capture = Capture::new(stdout, stderr, sink).map_err(RunError::io("read the output"))?;
    let stdin_writer =
        StdinWriter::new(stdin, &spec.stdin).map_err(RunError::io("write the input"))?;
    Supervisor::new(spec, cancel, started, tree, Streams { capture, stdin_writer })
        .run_to_end()
        .map_err(RunError::io("watch the command"))
}

/// Starts the process; if the system refuses the mounts, rebuilds the sandbox without them and retries.
fn spawn_or_retry(
    options: SpawnOptions,
    spec: &RunSpec,
) -> Result<(StartedProcess, SpawnOptions), RunError> {
    match spawn(spec, &options) {
        Err(RunError::Io { source, .. }) if Sandbox::needs_rebuild(&source) => {
            let options = SpawnOptions { sandbox: sandbox(spec)?, ..options };
            Ok((spawn(spec, &options)?, options))
        }
        outcome => Ok((outcome?, options)),
    }
}

fn cancelled_before_start() -> FinishedRun {
    FinishedRun {
        ending: Ending::Cancelled,
        duration: Duration::ZERO,
        spans: Spans::default(),
        stragglers_ended: false,
        set_aside: Vec::new(),
        changed: Vec::new(),
    }
}
