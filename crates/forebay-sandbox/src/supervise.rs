//! The state machine of a run.
//!
//! ```text
//! Running --leader exited--> Settling --all gone-------------------------> Done
//!    |                          `--stragglers--> Terminating --gone------> Done
//!    |--timeout, cancelled-------------------------^  `--grace over--> Killed --> Done
//!    `--over a limit-----------------------------------------------------^
//! ```

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Limit};
use rustix::process::Signal;

use crate::CancelToken;
use crate::capture::{Capture, ReadOutcome};
use crate::pid_limit::PidLimit;
use crate::poll::{Source, wait};
use crate::process_tree::ProcessTree;
use crate::run::FinishedRun;
use crate::spec::RunSpec;
use crate::stdin_writer::StdinWriter;

/// How long stragglers may live after the leader exited or the last byte arrived. Long enough for the end
/// of a pipeline (`> >(tee log)`), too short to notice when a daemon was left behind.
const SETTLE_QUIET: Duration = Duration::from_millis(200);
/// The same for stragglers that keep writing.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(2);
/// After this pause, an unterminated line may be a prompt and is passed on.
const IDLE_AFTER: Duration = Duration::from_millis(100);
/// How long to wait for a killed process; one in an uninterruptible system call may never exit.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval for polling what has no descriptor; doubles while nothing happens.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(1);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The leader runs.
    Running,
    /// The leader exited; its stragglers may finish.
    Settling { since: Instant },
    /// The processes got SIGTERM.
    Terminating { kill_at: Option<Instant> },
    /// The processes got SIGKILL.
    Killed { give_up_at: Instant },
    /// The run is over.
    Done,
}

/// The standard streams of a run.
pub(crate) struct Streams<'a> {
    pub(crate) capture: Capture<'a>,
    pub(crate) stdin_writer: StdinWriter<'a>,
}

/// Drives one run through its phases.
pub(crate) struct Supervisor<'a> {
    spec: &'a RunSpec,
    cancel: &'a CancelToken,
    tree: ProcessTree<'a>,
    capture: Capture<'a>,
    stdin_writer: StdinWriter<'a>,
    phase: Phase,
    started: Instant,
    last_output: Instant,
    leader_exited_at: Option<Instant>,
    poll_interval: Duration,
    /// Bytes of both outputs.
    captured: u64,
    /// Whether the sink knows that nothing arrived since the last output.
    idle_reported: bool,
    pid_limit: Option<PidLimit>,
    /// Why the run was ended, if the leader did not exit on its own.
    forced_ending: Option<Ending>,
    stragglers_ended: bool,
}

impl<'a> Supervisor<'a> {
    pub(crate) fn new(
        spec: &'a RunSpec,
        cancel: &'a CancelToken,
        started: Instant,
        tree: ProcessTree<'a>,
        streams: Streams<'a>,
    ) -> Self {
        Self {
            spec,
            cancel,
            tree,
            capture: streams.capture,
            stdin_writer: streams.stdin_writer,
            phase: Phase::Running,
            started,
            last_output: started,
            leader_exited_at: None,
            poll_interval: MIN_POLL_INTERVAL,
            captured: 0,
            idle_reported: true,
            pid_limit: spec.limits.processes.and_then(PidLimit::new),
            forced_ending: None,
            stragglers_ended: false,
        }
    }

    pub(crate) fn run_to_end(mut self) -> io::Result<FinishedRun> {
        while self.phase != Phase::Done {
            let ready = wait(&self.sources()?, self.poll_timeout())?;
            self.handle_ready(&ready)?;
            self.advance();
        }
        self.finish()
    }

    /// Returns what can wake the supervisor in this phase, without descriptors that would stay ready.
    ///
    /// Outputs above their limit are left in the pipe: a killed process writes on until the kernel ends it.
    fn sources(&self) -> io::Result<Vec<(Source, BorrowedFd<'_>)>> {
        let outputs = self.capture.open_outputs().filter(|_| !self.exceeds_output_limit());
        let mut sources: Vec<_> =
            outputs.map(|(stream, output)| (Source::Output(stream), output)).collect();
        sources.extend(self.stdin_writer.pipe().map(|pipe| (Source::Input, pipe)));
        sources.extend(self.tree.events().map(|fd| (Source::Processes, fd)));
        if self.is_cancellable() {
            sources.push((Source::Cancel, self.cancel.wake()?));
        }
        Ok(sources)
    }

    fn is_cancellable(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Settling { .. })
    }

    /// Returns how long to wait for a source.
    fn poll_timeout(&self) -> Option<Duration> {
        let until_deadline =
            self.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let until_poll = (!ProcessTree::REPORTS_ENDS).then_some(self.poll_interval);
        let until_count = self.pid_limit.as_ref().map(PidLimit::until_next_count);
        let until_idle =
            (!self.idle_reported).then(|| IDLE_AFTER.saturating_sub(self.last_output.elapsed()));
        [until_deadline, until_poll, until_count, until_idle].into_iter().flatten().min()
    }

    /// Returns the end of the phase, or `None` if it exceeds the range of the clock.
    fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Running => self.started.checked_add(self.spec.timeout),
            Phase::Settling { since } => {
                Some((since.max(self.last_output) + SETTLE_QUIET).min(since + SETTLE_TIMEOUT))
            }
            Phase::Terminating { kill_at } => kill_at,
            Phase::Killed { give_up_at } => Some(give_up_at),
            Phase::Done => None,
        }
    }

    fn handle_ready(&mut self, ready: &[Source]) -> io::Result<()> {
        self.poll_interval = if ready.is_empty() {
            (self.poll_interval * 2).min(MAX_POLL_INTERVAL)
        } else {
            MIN_POLL_INTERVAL
        };
        for source in ready {
            if let Source::Output(stream) = source
                && let ReadOutcome::Bytes(count) = self.capture.read(*stream)?
            {
                self.captured += count as u64;
                self.last_output = Instant::now();
                self.idle_reported = false;
            }
        }
        if !self.idle_reported && self.last_output.elapsed() >= IDLE_AFTER {
            self.idle_reported = true;
            self.capture.on_idle();
        }
        if ready.contains(&Source::Input) {
            self.stdin_writer.write()?;
        }
        if ready.contains(&Source::Processes) || !ProcessTree::REPORTS_ENDS {
            self.tree.poll()?;
        }
        if self.tree.leader_exited() {
            self.leader_exited_at.get_or_insert_with(Instant::now);
        }
        Ok(())
    }

    /// Advances through the phases as far as possible.
    fn advance(&mut self) {
        while let Some(next) = self.next_phase() {
            self.phase = next;
        }
    }

    fn next_phase(&mut self) -> Option<Phase> {
        match self.phase {
            Phase::Running => self.after_running(),
            Phase::Settling { .. } => self.after_settling(),
            Phase::Terminating { .. } => self.after_terminating(),
            Phase::Killed { .. } => self.after_killing(),
            Phase::Done => None,
        }
    }

    fn after_running(&mut self) -> Option<Phase> {
        if let Some(since) = self.leader_exited_at {
            return Some(Phase::Settling { since });
        }
        if let Some(limit) = self.exceeded_limit() {
            self.forced_ending = Some(Ending::OverLimit(limit));
            return Some(self.kill());
        }
        self.forced_ending = if self.cancel.is_cancelled() {
            Some(Ending::Cancelled)
        } else {
            self.deadline_passed().then_some(Ending::TimedOut)
        };
        self.forced_ending.map(|_| self.terminate())
    }

    fn after_settling(&mut self) -> Option<Phase> {
        if self.capture.is_complete() && self.tree.is_gone() {
            return Some(Phase::Done);
        }
        if self.exceeds_output_limit() {
            return Some(self.kill());
        }
        if !self.deadline_passed() && !self.cancel.is_cancelled() {
            return None;
        }
        Some(if self.tree.is_gone() { Phase::Done } else { self.terminate() })
    }

    fn exceeded_limit(&mut self) -> Option<Limit> {
        if self.exceeds_output_limit() {
            return Some(Limit::Output);
        }
        let tree = &self.tree;
        let too_many =
            self.pid_limit.as_mut().is_some_and(|pid_limit| pid_limit.is_exceeded_by(tree));
        too_many.then_some(Limit::Processes)
    }

    fn exceeds_output_limit(&self) -> bool {
        self.spec.limits.output.is_some_and(|most| self.captured > most)
    }

    fn after_terminating(&mut self) -> Option<Phase> {
        if self.tree.is_gone() {
            return Some(Phase::Done);
        }
        self.deadline_passed().then(|| self.kill())
    }

    fn after_killing(&mut self) -> Option<Phase> {
        (self.tree.is_gone() || self.deadline_passed()).then_some(Phase::Done)
    }

    fn deadline_passed(&self) -> bool {
        self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Sends SIGTERM, and SIGCONT because a stopped process handles it only when it continues.
    fn terminate(&mut self) -> Phase {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
        Phase::Terminating { kill_at: Instant::now().checked_add(self.spec.kill_grace) }
    }

    fn kill(&mut self) -> Phase {
        self.signal(Signal::KILL);
        Phase::Killed { give_up_at: Instant::now() + KILL_TIMEOUT }
    }

    fn signal(&mut self, signal: Signal) {
        self.stragglers_ended |= self.tree.leader_exited();
        self.tree.signal(signal);
    }

    fn finish(mut self) -> io::Result<FinishedRun> {
        self.capture.drain()?;
        if !self.capture.is_complete() {
            tracing::debug!("a process outside the run keeps the output open");
        }
        let ended = self.leader_exited_at.unwrap_or_else(Instant::now);
        let leader_ending = self.tree.release()?;
        Ok(FinishedRun {
            // One of the two is set: only a run that was ended by force is released before its leader exits.
            ending: self.forced_ending.or(leader_ending).ok_or(io::ErrorKind::TimedOut)?,
            duration: ended.duration_since(self.started),
            spans: self.capture.into_spans(),
            stragglers_ended: self.stragglers_ended,
            set_aside: Vec::new(),
            changed: Vec::new(),
        })
    }
}
