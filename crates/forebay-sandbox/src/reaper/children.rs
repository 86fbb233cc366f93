//! Finds the children of this process in `/proc`. Allocates nothing.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

use crate::process_stat::ProcessStat;

const LISTING_BYTES: usize = 8 * 1024;
/// The fields that matter come first.
const STAT_BYTES: usize = 512;
/// `<pid>/stat` and a NUL.
const PATH_BYTES: usize = 32;
const STAT: &[u8] = b"/stat\0";

/// Signals the children outside of `group`, and the group itself if `with_group` is set and a child is in it.
///
/// A child cannot be reaped in the meantime, except by this process, so the ids are not reused.
pub(super) fn signal_all(group: Pid, with_group: bool, signal: Signal) {
    let mut group_is_signalled = !with_group;
    for_each_child(|child, stat| {
        if stat.group != group.as_raw_pid() {
            let _ = kill_process(child, signal);
        } else if !group_is_signalled {
            group_is_signalled = true;
            let _ = kill_process_group(group, signal);
        }
    });
}

fn for_each_child(mut act: impl FnMut(Pid, ProcessStat)) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = openat(CWD, c"/proc", flags, Mode::empty()) else {
        return;
    };
    let own_pid = getpid().as_raw_pid();
    let mut buffer = [MaybeUninit::uninit(); LISTING_BYTES];
    let mut entries = RawDir::new(folder.as_fd(), &mut buffer);
    while let Some(Ok(entry)) = entries.next() {
        let Some(pid) = parse_pid(entry.file_name()) else {
            continue;
        };
        let stat = read_stat(folder.as_fd(), entry.file_name());
        if let Some(stat) = stat.filter(|stat| stat.parent == own_pid && !stat.is_zombie) {
            act(pid, stat);
        }
    }
}

fn parse_pid(name: &CStr) -> Option<Pid> {
    Pid::from_raw(name.to_str().ok()?.parse().ok()?)
}

fn read_stat(folder: BorrowedFd<'_>, pid: &CStr) -> Option<ProcessStat> {
    let mut path = [0; PATH_BYTES];
    let pid = pid.to_bytes();
    path.get_mut(..pid.len())?.copy_from_slice(pid);
    path.get_mut(pid.len()..pid.len() + STAT.len())?.copy_from_slice(STAT);
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    let file = openat(folder, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut stat = [0; STAT_BYTES];
    let count = rustix::io::read(&file, &mut stat).ok()?;
    ProcessStat::parse(stat.get(..count)?)
}
