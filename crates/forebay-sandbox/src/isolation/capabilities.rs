//! Drops the capabilities of root that no build needs.
//!
//! With all of them, root reaches around isolation: it makes a device file of the disk, inspects other processes, or
//! loads code into the kernel. In the user namespace of another user, a program has no capabilities anyway.

use std::io;

use rustix::process::geteuid;

/// `CAP_CHOWN`, `CAP_DAC_OVERRIDE`, `CAP_FOWNER`, `CAP_FSETID`, `CAP_KILL`, `CAP_SETGID`, `CAP_SETUID` and
/// `CAP_NET_BIND_SERVICE`: what root needs to work on files of several users, and to listen on any port.
const KEPT: u64 = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 10;
const NUMBERS: std::ops::Range<u64> = 0..64;
/// `_LINUX_CAPABILITY_VERSION_3`.
const VERSION: u32 = 0x2008_0522;

/// Drops all but a few capabilities of root, also for the programs it executes. Async-signal-safe.
pub(super) fn drop_most() -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    NUMBERS.filter(|number| KEPT & (1 << number) == 0).for_each(forbid);
    restrict_to_kept()
}

/// Removes one capability from those that a program can gain; the kernel knows fewer than 64.
#[expect(unsafe_code, reason = "rustix has no bounding set without another feature")]
fn forbid(number: u64) {
    // SAFETY: the call takes numbers only.
    unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) };
}

#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Data {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

#[expect(unsafe_code, reason = "rustix has no `capset` without another feature")]
fn restrict_to_kept() -> io::Result<()> {
    let header = Header { version: VERSION, pid: 0 };
    let mut held = [Data { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: version 3 has two structures of this layout; both arguments outlive the call.
    if unsafe { libc::syscall(libc::SYS_capget, &raw const header, held.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    for (half, data) in held.iter_mut().enumerate() {
        let kept = (KEPT >> (32 * half)) as u32;
        *data = Data {
            effective: data.effective & kept,
            permitted: data.permitted & kept,
            inheritable: 0,
        };
    }
    // SAFETY: as above.
    match unsafe { libc::syscall(libc::SYS_capset, &raw const header, held.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
