//! One run, from the checks to the result.

use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Spans};

use crate::capture::{Capture, Sink};
use crate::isolation::Fence;
use crate::spawn::spawn;
use crate::spec::RunSpec;
use crate::supervise::Supervisor;
use crate::tree::ProcessTree;
use crate::{Cancel, RunError};

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
    let started = Instant::now();
    let fence = Fence::around(&spec.isolation).map_err(RunError::io("prepare its isolation"))?;
    // The tree is made at once: from here on every way out ends the processes.
    let mut tree = ProcessTree::new(spawn(spec, &fence)?, cancel);
    let capture = Capture::new(tree.child(), sink).map_err(RunError::io("read its output"))?;
    Supervisor::new(spec, cancel, started, tree, capture)
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
