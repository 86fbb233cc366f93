//! Calls as lines, for a pipe.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::call::Call;
use super::feed::{Feed, News, PAUSE};
use crate::cli::terminal::{self, Failure};

/// The calls of before that are printed.
const MAX_EARLIER: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
}

/// Prints the last calls and, unless `once`, those that follow until the reader is gone.
pub(super) fn print(feed: &mut Feed, format: Format, once: bool) -> Result<(), Failure> {
    let printer = Printer { format, zone: TimeZone::system(), has_projects: feed.has_projects() };
    let mut faults = Vec::new();
    let mut earlier = Vec::new();
    loop {
        let News { calls, faults: found, is_complete } = feed.next();
        earlier.extend(calls);
        tell_new(&mut faults, found)?;
        if is_complete {
            break;
        }
    }
    printer.print(&earlier[earlier.len().saturating_sub(MAX_EARLIER)..])?;
    while !once && has_reader()? {
        let news = feed.next();
        tell_new(&mut faults, news.faults)?;
        printer.print(&news.calls)?;
    }
    Ok(())
}

struct Printer {
    format: Format,
    zone: TimeZone,
    has_projects: bool,
}

impl Printer {
    fn print(&self, calls: &[Call]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        for call in calls {
            match self.format {
                Format::Json => writeln!(stdout, "{}", call.data())?,
                Format::Text => writeln!(stdout, "{}", call.line(&self.zone, self.has_projects))?,
            }
        }
        Ok(stdout.flush()?)
    }
}

/// Prints each fault once for as long as it lasts.
fn tell_new(told: &mut Vec<String>, faults: Vec<String>) -> io::Result<()> {
    for fault in faults.iter().filter(|fault| !told.contains(fault)) {
        terminal::note(fault)?;
    }
    *told = faults;
    Ok(())
}

/// Waits a moment, and returns whether somebody still reads what is printed.
fn has_reader() -> io::Result<bool> {
    let stdout = io::stdout();
    // No event is asked for: those of a pipe without a reader are reported in any case.
    let mut descriptors = [PollFd::new(&stdout, PollFlags::empty())];
    let pause = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
    match poll(&mut descriptors, Some(&pause)) {
        Ok(0) | Err(Errno::INTR) => Ok(true),
        Ok(_) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
