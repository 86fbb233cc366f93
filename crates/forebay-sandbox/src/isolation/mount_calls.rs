//! The system calls for namespaces and mounts. All of them are async-signal-safe.

use std::ffi::CStr;
use std::io;
use std::os::fd::AsRawFd;

use rustix::fs::{Mode, OFlags, open};

/// Writes a new file, or an existing one of the kernel.
pub(super) fn write_file(file: &CStr, flags: OFlags, content: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC | flags;
    let file = open(file, flags, Mode::from_raw_mode(0o644))?;
    let mut rest = content;
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = rest.get(written..).unwrap_or_default();
    }
    Ok(())
}

#[expect(unsafe_code, reason = "rustix has `unshare` for threads only")]
pub(super) fn unshare(namespaces: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes no pointer, and affects only the calling child.
    check(unsafe { libc::unshare(namespaces) })
}

#[expect(unsafe_code, reason = "rustix's mount needs another feature for one call")]
pub(super) fn mount(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: every pointer is null or points to a C string that outlives the call.
    check(unsafe {
        libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, pointer(options).cast())
    })
}

/// Which mounts a change applies to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Depth {
    One,
    /// Also the mounts below.
    All,
}

/// Adds attributes to the mount at `path` and clears none.
#[expect(unsafe_code, reason = "neither the standard library nor rustix has `mount_setattr`")]
pub(super) fn add_mount_attributes(path: &CStr, attributes: u64, depth: Depth) -> io::Result<()> {
    let change =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let here = rustix::fs::CWD.as_raw_fd();
    let flags = match depth {
        Depth::One => 0,
        Depth::All => libc::AT_RECURSIVE,
    };
    // SAFETY: `path` is a C string, and the size matches the structure; both outlive the call.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            here,
            path.as_ptr(),
            flags,
            std::ptr::from_ref(&change),
            size_of::<libc::mount_attr>(),
        )
    };
    check(outcome as libc::c_int)
}

fn check(outcome: libc::c_int) -> io::Result<()> {
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
