//! Waits for the first of several events with `poll(2)`.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use forebay_domain::run::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The longest single wait: `poll` on macOS takes milliseconds in 32 bits.
const MAX_WAIT: Duration = Duration::from_hours(1);

/// An event source of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Output(Stream),
    Input,
    Processes,
    Cancel,
}

impl Source {
    fn interest(self) -> PollFlags {
        if self == Self::Input { PollFlags::OUT } else { PollFlags::IN }
    }
}

/// Waits until some of `sources` are ready or the timeout is over, and returns those in order.
///
/// A closed pipe counts as ready. An interrupted wait returns no source, like a timeout.
pub(crate) fn wait(
    sources: &[(Source, BorrowedFd<'_>)],
    timeout: Option<Duration>,
) -> io::Result<Vec<Source>> {
    let mut polled: Vec<_> = sources
        .iter()
        .map(|(source, fd)| PollFd::from_borrowed_fd(*fd, source.interest()))
        .collect();
    match poll(&mut polled, Some(&timespec(timeout))) {
        Ok(_) => Ok(ready_sources(sources, &polled)),
        Err(Errno::INTR) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn ready_sources(sources: &[(Source, BorrowedFd<'_>)], polled: &[PollFd<'_>]) -> Vec<Source> {
    sources
        .iter()
        .zip(polled)
        .filter(|(_, polled)| !polled.revents().is_empty())
        .map(|((source, _), _)| *source)
        .collect()
}

fn timespec(timeout: Option<Duration>) -> Timespec {
    let wait = timeout.map_or(MAX_WAIT, |duration| duration.min(MAX_WAIT));
    Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() }
}
