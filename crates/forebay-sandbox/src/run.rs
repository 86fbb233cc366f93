//! One run, from the checks to the result.

use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Spans};

use crate::capture::{Capture, Sink};
use crate::feed::Feed;
use crate::isolation::Fence;
use crate::spawn::spawn;
use crate::spec::{Program, RunSpec};
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

/// Runs `spec` to its end, handing all output to `sink`.
///
/// Returns when the processes of the run are gone: it ended by itself, its time was up, or `cancel` was
/// used. A run that is cancelled before it starts does not start.
pub fn run(spec: &RunSpec, sink: &mut dyn Sink, cancel: &Cancel) -> Result<Finished, RunError> {
    spec.check()?;
    if cancel.is_cancelled() {
        return Ok(cancelled_before_start());
    }
    match &spec.program {
        Program::Code(code) => runtimes::run(code, spec, sink, cancel),
        Program::Shell(_) | Program::Argv(_) => run_process(spec, sink, cancel),
    }
}

/// Runs what is one process from the start.
pub(crate) fn run_process(
    spec: &RunSpec,
    sink: &mut dyn Sink,
    cancel: &Cancel,
) -> Result<Finished, RunError> {
    let started = Instant::now();
    let fence = Fence::around(&spec.isolation).map_err(RunError::io("prepare its isolation"))?;
    // The tree is made at once: from here on every way out ends the processes.
    let mut tree = ProcessTree::new(spawn(spec, &fence)?, cancel);
    let capture = Capture::new(tree.child(), sink).map_err(RunError::io("read its output"))?;
    let feed = Feed::new(tree.child(), &spec.stdin).map_err(RunError::io("write its input"))?;
    Supervisor::new(spec, cancel, started, tree, Streams { capture, feed })
        .see_it_through()
        .map_err(RunError::io("watch the command"))
}

fn cancelled_before_start() -> Finished {
    Finished {
        ending: Ending::Cancelled,
        duration: Duration::ZERO,
        spans: Spans::default(),
        stragglers_ended: false,
    }
}
