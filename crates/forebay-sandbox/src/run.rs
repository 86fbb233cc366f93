//! One run, from the checks to the result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Spans};

use crate::capture::{Capture, Sink};
use crate::feed::Feed;
use crate::gate::Gate;
use crate::isolation::Fence;
use crate::spawn::{Way, spawn};
use crate::spec::{Program, RunSpec};
use crate::start::Started;
use crate::supervise::{Streams, Supervisor};
use crate::tree::ProcessTree;
use crate::{Cancel, RunError, runtimes};

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub ending: Ending,
    /// From the start to the end of the process that was started.
    pub duration: Duration,
    pub spans: Spans,
    /// Processes of the run outlived the one that was started, and were ended.
    pub stragglers_ended: bool,
}

/// A run that could start now.
pub struct Prepared<'a> {
    spec: &'a RunSpec,
    /// None for code, whose engine is found and fenced when it runs.
    fence: Option<Fence>,
    gate: Option<Gate>,
}

/// Checks `spec` and works out its isolation; nothing is started.
pub fn prepare(spec: &RunSpec) -> Result<Prepared<'_>, RunError> {
    spec.check()?;
    let fence = match spec.program {
        Program::Code(_) => None,
        Program::Shell(_) | Program::Argv(_) => Some(fence(spec)?),
    };
    Ok(Prepared { spec, fence, gate: None })
}

/// Runs `spec` to its end, handing all output to `sink`.
pub fn run(spec: &RunSpec, sink: &mut dyn Sink, cancel: &Cancel) -> Result<Finished, RunError> {
    prepare(spec)?.run(sink, cancel)
}

impl Prepared<'_> {
    /// Has it wait at `gate`, in all else ready, before it begins.
    #[must_use]
    pub fn behind(self, gate: Gate) -> Self {
        Self { gate: Some(gate), ..self }
    }

    /// Runs it to its end, handing all output to `sink`.
    ///
    /// Returns when the processes of the run are gone: it ended by itself, its time was up, or `cancel` was
    /// used. A run that is cancelled before it starts does not start.
    pub fn run(self, sink: &mut dyn Sink, cancel: &Cancel) -> Result<Finished, RunError> {
        if cancel.is_cancelled() {
            return Ok(cancelled_before_start());
        }
        match (&self.spec.program, self.fence) {
            (Program::Code(code), _) => {
                if let Some(gate) = self.gate {
                    gate.pass().map_err(|_| RunError::NotLetThrough)?;
                }
                runtimes::run(code, self.spec, sink, cancel)
            }
            (_, Some(fence)) => {
                let way = Way { fence, gate: self.gate.map(Arc::new) };
                run_along(way, self.spec, sink, cancel)
            }
            (_, None) => run_process(self.spec, sink, cancel),
        }
    }
}

/// Runs what is one process from the start.
pub(crate) fn run_process(
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &Cancel,
) -> Result<Finished, RunError> {
    run_along(Way { fence: fence(spec)?, gate: None }, spec, sink, cancel)
}

fn fence(spec: &RunSpec) -> Result<Fence, RunError> {
    Fence::around(&spec.isolation).map_err(RunError::io("prepare its isolation"))
}

fn run_along(
    way: Way,
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &Cancel,
) -> Result<Finished, RunError> {
    // What could not be cancelled is not begun.
    cancel.wake().map_err(RunError::io("be told when it is cancelled"))?;
    // The tree is made at once: from here on every way out ends the processes.
    let (started_process, _way) = spawn_along(way, spec)?;
    let started = Instant::now();
    let Started { leader, stdin, stdout, stderr } = started_process;
    let tree = ProcessTree::new(leader, cancel);
    let capture = Capture::new(stdout, stderr, sink).map_err(RunError::io("read its output"))?;
    let feed = Feed::new(stdin, &spec.stdin).map_err(RunError::io("write its input"))?;
    Supervisor::new(spec, cancel, started, tree, Streams { capture, feed })
        .see_it_through()
        .map_err(RunError::io("watch the command"))
}

/// Starts it; where the system refuses a part of the fence, inside of one that does without.
fn spawn_along(way: Way, spec: &RunSpec) -> Result<(Started, Way), RunError> {
    match spawn(spec, &way) {
        Err(RunError::Io { source, .. }) if Fence::was_refused(&source) => {
            let way = Way { fence: fence(spec)?, ..way };
            Ok((spawn(spec, &way)?, way))
        }
        outcome => Ok((outcome?, way)),
    }
}

fn cancelled_before_start() -> Finished {
    Finished {
        ending: Ending::Cancelled,
        duration: Duration::ZERO,
        spans: Spans::default(),
        stragglers_ended: false,
    }
}
