//! Watches and ends the processes of a run through its reaper.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use forebay_domain::run::Ending;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use crate::CancelToken;
use crate::cancel::Registration;
use crate::poll::{Source, wait};
use crate::process_stat::ProcessStat;
use crate::reaper::{Event, Reaper};

/// How long a dropped tree waits for its killed processes.
const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// The processes of one run. Dropping it kills them all.
#[derive(Debug)]
pub(crate) struct ProcessTree<'a> {
    /// `None` once the last process is gone.
    reaper: Option<Reaper>,
    registration: Option<Registration<'a>>,
    leader_ending: Option<Ending>,
}

impl<'a> ProcessTree<'a> {
    /// Whether [`Self::events`] reports the end of each process, so that nothing must be polled.
    pub(crate) const REPORTS_ENDS: bool = true;

    pub(crate) fn new(reaper: Reaper, cancel: &'a CancelToken) -> Self {
        let registration = Some(cancel.register(reaper.signals()));
        Self { reaper: Some(reaper), registration, leader_ending: None }
    }

    /// Returns a descriptor that becomes readable when the leader exits, and when the last process does.
    pub(crate) fn events(&self) -> Option<BorrowedFd<'_>> {
        self.reaper.as_ref().map(Reaper::events)
    }

    pub(crate) const fn leader_exited(&self) -> bool {
        self.leader_ending.is_some()
    }

    /// Notes the events that have arrived.
    pub(crate) fn poll(&mut self) -> io::Result<()> {
        while let Some(reaper) = &self.reaper {
            match reaper.read_event() {
                Ok(Some(Event::Exited { code })) => self.note_ending(Ending::Exited(code)),
                Ok(Some(Event::Signalled { signal })) => {
                    self.note_ending(Ending::Signalled(signal));
                }
                Ok(Some(Event::Started | Event::Failed { .. })) => {}
                Ok(Some(Event::Gone)) => self.note_gone(),
                Ok(None) => {
                    tracing::warn!("the reaper of a run was killed");
                    self.leader_ending.get_or_insert(Ending::Signalled(Signal::KILL.as_raw()));
                    self.note_gone();
                }
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn note_ending(&mut self, ending: Ending) {
        self.leader_ending = Some(ending);
        self.registration = None;
    }

    fn note_gone(&mut self) {
        self.registration = None;
        if let Some(reaper) = self.reaper.take() {
            reaper.reap();
        }
    }

    /// Signals the processes of the run; SIGKILL also those that have left its session.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(reaper) = &self.reaper {
            reaper.signal_all(signal);
        }
    }

    /// Returns the number of processes; `None` if `/proc` is unreadable.
    pub(crate) fn count(&self) -> Option<u64> {
        self.reaper.as_ref().map_or(Some(0), |reaper| count_descendants(reaper.pid()))
    }

    /// Whether no process of the run is left.
    pub(crate) const fn is_gone(&self) -> bool {
        self.reaper.is_none()
    }

    /// Releases the tree and returns the ending of the leader; `None` if it survived SIGKILL so far.
    pub(crate) fn release(mut self) -> io::Result<Option<Ending>> {
        self.poll()?;
        if !self.is_gone() {
            tracing::warn!("processes of a run survived SIGKILL; their reaper keeps killing them");
            // It goes on without a parent.
            self.reaper = None;
        }
        Ok(self.leader_ending)
    }
}

impl Drop for ProcessTree<'_> {
    /// Kills the processes that an error or a panic would leave behind.
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        let deadline = Instant::now() + DROP_TIMEOUT;
        while let Some(reaper) = &self.reaper
            && Instant::now() < deadline
        {
            let left = deadline.saturating_duration_since(Instant::now());
            let waited = wait(&[(Source::Processes, reaper.events())], Some(left));
            if let Err(error) = waited.and_then(|_| self.poll()) {
                tracing::warn!(%error, "cannot watch the processes of a run");
                return;
            }
        }
    }
}

/// Counts the running processes below `ancestor`.
fn count_descendants(ancestor: Pid) -> Option<u64> {
    let processes: Vec<(i32, ProcessStat)> = running_processes()?.collect();
    let mut found = vec![ancestor.as_raw_pid()];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found
            .extend(processes.iter().filter(|(_, stat)| stat.parent == parent).map(|(pid, _)| pid));
        next += 1;
    }
    Some(found.len() as u64 - 1)
}

fn running_processes() -> Option<impl Iterator<Item = (i32, ProcessStat)>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let processes = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, ProcessStat::parse(&std::fs::read(entry.path().join("stat")).ok()?)?))
    });
    Some(processes.filter(|(_, stat)| !stat.is_zombie))
}
