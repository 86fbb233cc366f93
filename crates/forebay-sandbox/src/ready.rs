//! Waits for whatever happens first.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use forebay_domain::run::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// No single wait is longer, for `poll` on macOS counts milliseconds in 32 bits.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// What can happen in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Output(Stream),
    Input,
    Leader,
    Cancel,
}

impl Source {
    fn awaited(self) -> PollFlags {
        if self == Self::Input { PollFlags::OUT } else { PollFlags::IN }
    }
}

/// Waits until some of `sources` are ready or the time is over, and gives those in their order.
///
/// The end of a pipe counts as ready. An interrupted wait gives none, like one whose time is over.
pub(crate) fn wait(
    sources: &[(Source, BorrowedFd<'_>)],
    at_most: Option<Duration>,
) -> io::Result<Vec<Source>> {
    let mut polled: Vec<_> = sources
        .iter()
        .map(|(source, fd)| PollFd::from_borrowed_fd(*fd, source.awaited()))
        .collect();
    match poll(&mut polled, Some(&timespec(at_most))) {
        Ok(_) => Ok(ready_of(sources, &polled)),
        Err(Errno::INTR) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn ready_of(sources: &[(Source, BorrowedFd<'_>)], polled: &[PollFd<'_>]) -> Vec<Source> {
    sources
        .iter()
        .zip(polled)
        .filter(|(_, polled)| !polled.revents().is_empty())
        .map(|((source, _), _)| *source)
        .collect()
}

fn timespec(at_most: Option<Duration>) -> Timespec {
    let wait = at_most.map_or(LONGEST_WAIT, |duration| duration.min(LONGEST_WAIT));
    Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() }
}
