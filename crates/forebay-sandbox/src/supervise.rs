//! The phases of a run: it runs, settles, is asked to end, is killed, is over.
//!
//! ```text
//! Running --leader ended--> Settling --all gone--------------------------> Over
//!    |                         `--someone stays--> Terminating --gone------> Over
//!    |--time is up, cancelled-----------------------^  `--grace over--> Killed --> Over
//!    `--over a limit------------------------------------------------------^
//! ```

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use forebay_domain::run::{Ending, Limit};
use rustix::process::Signal;

use crate::Cancel;
use crate::capture::{Capture, Read};
use crate::feed::Feed;
use crate::headcount::Headcount;
use crate::ready::{Source, wait};
use crate::run::Finished;
use crate::spec::RunSpec;
use crate::tree::ProcessTree;

/// How long after the leader's end, or the last byte after it, the processes it left may stay. Enough
/// for the end of a pipeline (`> >(tee log)`), too short to be felt when a daemon was left behind.
const SETTLE_QUIET: Duration = Duration::from_millis(200);
/// The same for a process that keeps writing.
const SETTLE_AT_MOST: Duration = Duration::from_secs(2);
/// When nothing was said for so long, a line without an end may be a question.
const REST_AFTER: Duration = Duration::from_millis(100);
/// How long a killed process may take to go; one in an uninterruptible call may take for ever.
const DEATH_AT_MOST: Duration = Duration::from_secs(5);
/// How often to look where nothing wakes us: soon at first, then less and less.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const SLOWEST_LOOK: Duration = Duration::from_millis(50);

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The leader runs.
    Running,
    /// The leader ended by itself; those it left behind may finish.
    Settling { since: Instant },
    /// The group was asked to end.
    Terminating { kill_at: Option<Instant> },
    /// The group was killed.
    Killed { give_up_at: Instant },
    /// Nothing more is waited for.
    Over,
}

/// What flows between the run and us.
pub(crate) struct Streams<'a> {
    pub(crate) capture: Capture<'a>,
    pub(crate) feed: Feed<'a>,
}

/// Carries one run through its phases.
pub(crate) struct Supervisor<'a> {
    spec: &'a RunSpec,
    cancel: &'a Cancel,
    tree: ProcessTree<'a>,
    capture: Capture<'a>,
    feed: Feed<'a>,
    phase: Phase,
    started: Instant,
    last_bytes: Instant,
    leader_ended: Option<Instant>,
    next_look: Duration,
    /// Bytes of both outputs.
    captured: u64,
    /// The sink was told that nothing came since the last bytes.
    rested: bool,
    headcount: Option<Headcount>,
    /// Why the run was ended, if it did not end by itself.
    cut_short: Option<Ending>,
    stragglers_ended: bool,
}

impl<'a> Supervisor<'a> {
    pub(crate) fn new(
        spec: &'a RunSpec,
        cancel: &'a Cancel,
        started: Instant,
        tree: ProcessTree<'a>,
        streams: Streams<'a>,
    ) -> Self {
        Self {
            spec,
            cancel,
            tree,
            capture: streams.capture,
            feed: streams.feed,
            phase: Phase::Running,
            started,
            last_bytes: started,
            leader_ended: None,
            next_look: FIRST_LOOK,
            captured: 0,
            rested: true,
            headcount: spec.limits.processes.and_then(Headcount::new),
            cut_short: None,
            stragglers_ended: false,
        }
    }

    pub(crate) fn see_it_through(mut self) -> io::Result<Finished> {
        while self.phase != Phase::Over {
            let ready = wait(&self.sources()?, self.patience())?;
            self.take_in(&ready)?;
            self.advance()?;
        }
        self.finish()
    }

    /// What can wake us in this phase. What stays ready for ever is left out once it was seen.
    fn sources(&self) -> io::Result<Vec<(Source, BorrowedFd<'_>)>> {
        let outputs = self.capture.open_outputs();
        let mut sources: Vec<_> =
            outputs.map(|(stream, output)| (Source::Output(stream), output)).collect();
        sources.extend(self.feed.pipe().map(|pipe| (Source::Input, pipe)));
        sources.extend(self.tree.exit_watch().map(|watch| (Source::Leader, watch)));
        if self.may_be_cancelled() {
            sources.push((Source::Cancel, self.cancel.wake()?));
        }
        Ok(sources)
    }

    fn may_be_cancelled(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Settling { .. })
    }

    /// How long to wait for one of them.
    fn patience(&self) -> Option<Duration> {
        let until_deadline =
            self.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let until_look = self.must_look().then_some(self.next_look);
        let until_count = self.headcount.as_ref().map(Headcount::patience);
        let until_rest =
            (!self.rested).then(|| REST_AFTER.saturating_sub(self.last_bytes.elapsed()));
        [until_deadline, until_look, until_count, until_rest].into_iter().flatten().min()
    }

    /// When the phase ends at the latest; none if the time is beyond what the clock can count.
    fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Running => self.started.checked_add(self.spec.timeout),
            Phase::Settling { since } => {
                Some((since.max(self.last_bytes) + SETTLE_QUIET).min(since + SETTLE_AT_MOST))
            }
            Phase::Terminating { kill_at } => kill_at,
            Phase::Killed { give_up_at } => Some(give_up_at),
            Phase::Over => None,
        }
    }

    /// Whether something is waited for that wakes nobody: the end of a group, or of a leader on a
    /// system without an exit watch.
    fn must_look(&self) -> bool {
        self.phase != Phase::Running || self.tree.exit_watch().is_none()
    }

    fn take_in(&mut self, ready: &[Source]) -> io::Result<()> {
        self.next_look =
            if ready.is_empty() { (self.next_look * 2).min(SLOWEST_LOOK) } else { FIRST_LOOK };
        for source in ready {
            if let Source::Output(stream) = source
                && let Read::Bytes(count) = self.capture.read(*stream)?
            {
                self.captured += count as u64;
                self.last_bytes = Instant::now();
                self.rested = false;
            }
        }
        if !self.rested && self.last_bytes.elapsed() >= REST_AFTER {
            self.rested = true;
            self.capture.rest();
        }
        if ready.contains(&Source::Input) {
            self.feed.write()?;
        }
        if ready.contains(&Source::Leader) || self.tree.exit_watch().is_none() {
            self.look_at_leader();
        }
        Ok(())
    }

    fn look_at_leader(&mut self) {
        self.tree.look_at_leader();
        if self.tree.leader_ended() {
            self.leader_ended.get_or_insert_with(Instant::now);
        }
    }

    /// Goes from phase to phase as far as what is known allows.
    fn advance(&mut self) -> io::Result<()> {
        while let Some(next) = self.next_phase()? {
            self.phase = next;
        }
        Ok(())
    }

    fn next_phase(&mut self) -> io::Result<Option<Phase>> {
        match self.phase {
            Phase::Running => Ok(self.after_running()),
            Phase::Settling { .. } => self.after_settling(),
            Phase::Terminating { .. } => Ok(self.after_terminating()),
            Phase::Killed { .. } => Ok(self.after_killing()),
            Phase::Over => Ok(None),
        }
    }

    fn after_running(&mut self) -> Option<Phase> {
        if let Some(since) = self.leader_ended {
            return Some(Phase::Settling { since });
        }
        if let Some(limit) = self.exceeded_limit() {
            self.cut_short = Some(Ending::OverLimit(limit));
            return Some(self.kill());
        }
        self.cut_short = if self.cancel.is_cancelled() {
            Some(Ending::Cancelled)
        } else {
            self.deadline_passed().then_some(Ending::TimedOut)
        };
        self.cut_short.map(|_| self.terminate())
    }

    fn after_settling(&mut self) -> io::Result<Option<Phase>> {
        if self.capture.is_complete() && self.tree.is_gone_with_leader()? {
            return Ok(Some(Phase::Over));
        }
        if self.has_said_too_much() {
            return Ok(Some(self.kill()));
        }
        if !self.deadline_passed() && !self.cancel.is_cancelled() {
            return Ok(None);
        }
        Ok(Some(if self.tree.is_gone() { Phase::Over } else { self.terminate() }))
    }

    fn exceeded_limit(&mut self) -> Option<Limit> {
        if self.has_said_too_much() {
            return Some(Limit::Output);
        }
        let group = self.tree.group();
        let too_many =
            self.headcount.as_mut().is_some_and(|headcount| headcount.exceeded_by(group));
        too_many.then_some(Limit::Processes)
    }

    fn has_said_too_much(&self) -> bool {
        self.spec.limits.output.is_some_and(|most| self.captured > most)
    }

    fn after_terminating(&mut self) -> Option<Phase> {
        if self.tree.is_gone() {
            return Some(Phase::Over);
        }
        self.deadline_passed().then(|| self.kill())
    }

    fn after_killing(&mut self) -> Option<Phase> {
        (self.tree.is_gone() || self.deadline_passed()).then_some(Phase::Over)
    }

    fn deadline_passed(&self) -> bool {
        self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Asks the group to end. A stopped process hears it only when it goes on.
    fn terminate(&mut self) -> Phase {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
        Phase::Terminating { kill_at: Instant::now().checked_add(self.spec.kill_grace) }
    }

    fn kill(&mut self) -> Phase {
        self.signal(Signal::KILL);
        Phase::Killed { give_up_at: Instant::now() + DEATH_AT_MOST }
    }

    fn signal(&mut self, signal: Signal) {
        self.stragglers_ended |= self.tree.leader_ended();
        self.tree.signal(signal);
    }

    fn finish(mut self) -> io::Result<Finished> {
        self.capture.drain()?;
        if !self.capture.is_complete() {
            tracing::debug!("a process that left the group keeps the output open");
        }
        let ended = self.leader_ended.unwrap_or_else(Instant::now);
        let own_ending = self.tree.let_go()?;
        Ok(Finished {
            // One of the two is there: only a run that was cut short is let go before its leader ended.
            ending: self.cut_short.or(own_ending).ok_or(io::ErrorKind::TimedOut)?,
            duration: ended.duration_since(self.started),
            spans: self.capture.into_spans(),
            stragglers_ended: self.stragglers_ended,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::Fence;
    use crate::spawn::{Way, spawn};
    use crate::{Program, Sink};

    struct Ignores;
    impl Sink for Ignores {
        fn write(&mut self, _stream: forebay_domain::run::Stream, _bytes: &[u8]) {}
    }

    /// Runs `line` as on a system where nothing tells that a process ended.
    fn seen_through_by_looking(line: &str, timeout: Duration) -> Finished {
        let mut spec = RunSpec::new(Program::Shell(line.to_owned()), "/".into());
        spec.timeout = timeout;
        let cancel = Cancel::new();
        let mut sink = Ignores;
        let way = Way { fence: Fence::around(&spec.isolation).unwrap(), gate: None };
        let started = spawn(&spec, &way).unwrap();
        let mut tree = ProcessTree::new(started.leader, &cancel);
        tree.forget_exit_watch();
        let capture = Capture::new(started.stdout, started.stderr, &mut sink).unwrap();
        let feed = Feed::new(started.stdin, &spec.stdin).unwrap();
        Supervisor::new(&spec, &cancel, Instant::now(), tree, Streams { capture, feed })
            .see_it_through()
            .unwrap()
    }

    #[test]
    fn the_end_is_seen_without_an_exit_watch() {
        for line in ["exit 3", "exec >&- 2>&-; sleep 0.3; exit 3", "sleep 1000 & exit 3"] {
            let finished = seen_through_by_looking(line, Duration::from_secs(100));
            assert_eq!(finished.ending, Ending::Exited(3), "{line}");
            assert!(finished.duration < Duration::from_secs(10), "{line}");
        }
    }

    #[test]
    fn time_is_up_without_an_exit_watch() {
        let finished = seen_through_by_looking("sleep 1000", Duration::from_millis(100));
        assert_eq!(finished.ending, Ending::TimedOut);
    }
}
