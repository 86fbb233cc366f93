//! The reaper process.
//!
//! It shares the memory of its parent, whose thread runs on after the start. So it must not allocate or lock, and after
//! the start it must not touch `errno`, which it shares too: it calls rustix, which does not use it, not libc.

use std::ffi::c_void;
use std::os::fd::RawFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};
use rustix::stdio::{stderr, stdin, stdout};

use super::{Event, WHOLE_TREE, children};
use crate::start::{ChildSetup, ChildStack, SignalMask};

/// How long killed processes may take until the next ones are looked for.
const KILL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
/// Several commands, or several ended children.
const BUFFER_BYTES: usize = 1024;

/// What the reaper does; in use until it has reported how that went.
pub(super) struct ReaperTask<'a, 'b> {
    pub(super) parent: Pid,
    /// Becomes its stdin (commands), stdout (events) and stderr (ends of children).
    pub(super) streams: [RawFd; 3],
    pub(super) leader: &'a mut ChildSetup<'b>,
    pub(super) leader_stack: ChildStack,
}

/// The entry point of the reaper.
#[expect(unsafe_code, reason = "`clone` passes a raw pointer")]
pub(super) extern "C" fn main(task: *mut c_void) -> libc::c_int {
    // SAFETY: `start` passes a valid, exclusive `ReaperTask`, and waits for the event that follows.
    let task = unsafe { &mut *task.cast::<ReaperTask<'_, '_>>() };
    let started = task.start_leader();
    task.keep_only_own_streams();
    match started {
        Err(errno) => report(Event::Failed { errno: errno.raw_os_error() }),
        Ok(leader) => {
            report(Event::Started);
            Reaping { leader: Some(leader), group: leader, has_parent: true }.run();
        }
    }
    0
}

impl ReaperTask<'_, '_> {
    fn start_leader(&mut self) -> Result<Pid, Errno> {
        // Until the reaper watches its stdin, the kernel watches the parent.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() != Some(self.parent) {
            return Err(Errno::INTR);
        }
        rustix::thread::set_name(c"forebay-reaper")?;
        let own_pid = rustix::process::getpid();
        rustix::process::set_child_subreaper(Some(own_pid))?;
        // If it is ignored, children leave no status.
        SignalMask::reset_child_signal();
        self.leader.parent = Some(own_pid);
        let leader = self.leader.clone_vfork(&mut self.leader_stack)?;
        rustix::process::set_parent_process_death_signal(None)?;
        Ok(leader)
    }

    /// Closes the descriptors of the parent, which would stay open for as long as the run lasts.
    #[expect(unsafe_code, reason = "rustix's `dup2` needs an owned target descriptor")]
    fn keep_only_own_streams(&self) {
        for (target, stream) in (0..).zip(self.streams) {
            // SAFETY: CLONE_FILES is not set, so the calls change only the descriptor table of the reaper.
            unsafe { libc::dup2(stream, target) };
        }
        // SAFETY: as above.
        if unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) } == 0 {
            return;
        }
        // A kernel before 5.9.
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        for fd in 3..most.unwrap_or(1 << 16) as RawFd {
            // SAFETY: as above.
            unsafe { libc::close(fd) };
        }
    }
}

fn report(event: Event) {
    // It fails only if the server has died, and then there is no one to report to.
    let _ = rustix::io::write(stdout(), &event.to_bytes());
}

/// The state of the reaper after the start.
struct Reaping {
    /// `None` once it was reaped.
    leader: Option<Pid>,
    /// The process group of the leader.
    group: Pid,
    /// False once the pipe of commands has ended.
    has_parent: bool,
}

impl Reaping {
    fn run(mut self) {
        let mut is_killing = false;
        while self.reap() {
            if is_killing {
                self.signal_all(Signal::KILL);
            }
            self.wait(is_killing);
            is_killing |= self.obey();
        }
        report(Event::Gone);
    }

    /// Reaps the children that have exited, and returns whether there are any left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => self.note_exit(pid, status),
                Ok(None) => return true,
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    fn note_exit(&mut self, pid: Pid, status: WaitStatus) {
        if self.leader != Some(pid) {
            return;
        }
        self.leader = None;
        let event = match status.exit_status() {
            Some(code) => Event::Exited { code },
            None => Event::Signalled { signal: status.terminating_signal().unwrap_or_default() },
        };
        report(event);
    }

    /// Waits for a command or the end of a child.
    fn wait(&self, is_killing: bool) {
        let (commands, children) = (stdin(), stderr());
        let mut sources =
            [PollFd::new(&children, PollFlags::IN), PollFd::new(&commands, PollFlags::IN)];
        // The pipe of a dead parent is always ready.
        let used = if self.has_parent { &mut sources[..] } else { &mut sources[..1] };
        let _ = poll(used, is_killing.then_some(&KILL_INTERVAL));
        let mut buffer = [0; BUFFER_BYTES];
        while rustix::io::read(children, &mut buffer).is_ok_and(|count| count > 0) {}
    }

    /// Obeys the commands that have arrived, and returns whether all processes are to be killed.
    fn obey(&mut self) -> bool {
        let mut buffer = [0; BUFFER_BYTES];
        let commands = stdin();
        let mut sources = [PollFd::new(&commands, PollFlags::IN)];
        let is_ready = poll(&mut sources, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(1);
        if !self.has_parent || !is_ready {
            return false;
        }
        let count = rustix::io::read(commands, &mut buffer).unwrap_or_default();
        self.has_parent = count > 0;
        let mut kills = count == 0;
        for command in buffer.iter().take(count) {
            let Some(signal) = Signal::from_named_raw(i32::from(command & !WHOLE_TREE)) else {
                continue;
            };
            if command & WHOLE_TREE == 0 {
                self.signal_group(signal);
            } else {
                self.signal_all(signal);
                kills |= signal == Signal::KILL;
            }
        }
        kills
    }

    /// The id of the group is ours as long as the leader is not reaped.
    fn signal_group(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Signals the group of the leader, and the children that have left it.
    ///
    /// A process deeper down that has left the group is reached when it becomes a child: SIGKILL is repeated.
    fn signal_all(&self, signal: Signal) {
        self.signal_group(signal);
        children::signal_all(self.group, self.leader.is_none(), signal);
    }
}
