//! Masks denied programs, and denied paths inside writable directories, with mounts that only the run sees.
//!
//! With Landlock alone, denying `project/.env` would mean a rule for every other entry of the project, and the
//! run could not access the files it creates next to it. A mount over the denied path has no such cost. It
//! needs a mount namespace, which root can create directly and other users only in a user namespace, if the
//! system allows these. Landlock prevents the run from unmounting.
//!
//! Support is not probed in advance: if the mounts of the first run fail, it is restarted without mounts.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{getegid, geteuid};

use super::access::AccessRules;

/// The errno of a child whose mounts failed; no other step of the child setup fails with it.
const MOUNT_FAILED: libc::c_int = libc::ENOTBLK;
/// Set once the system has refused a mount namespace.
static UNSUPPORTED: AtomicBool = AtomicBool::new(false);

/// The mounts of a child, with all strings allocated in advance.
#[derive(Debug)]
pub(super) struct Mounts {
    /// `None` for root, which needs no user namespace.
    id_map: Option<IdMap>,
    mounts: Vec<Mount>,
}

#[derive(Debug)]
struct Mount {
    path: CString,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Cannot be opened.
    InaccessibleFile,
    /// Replaced by an empty directory without permissions.
    InaccessibleFolder,
    /// Cannot be written.
    ReadOnly,
}

/// Maps the user and group to themselves in the user namespace.
#[derive(Debug)]
struct IdMap {
    user: String,
    group: String,
}

impl Mounts {
    /// Returns the mounts for `rules`; `None` if there are none or mount namespaces are unsupported.
    pub(super) fn new(rules: &AccessRules) -> Option<Self> {
        if UNSUPPORTED.load(Ordering::Relaxed) {
            return None;
        }
        let id_map = id_map();
        // For root, a mount is cheaper than a Landlock rule for every other file in `/etc`. Only for files: a
        // masked directory looks empty, where Landlock reports a denial.
        let is_cheaper = |path: &Path| id_map.is_none() && path.is_file();
        let hidden = rules
            .hidden_without_exceptions()
            .filter(|path| rules.is_writable(path) || is_cheaper(path));
        let hidden =
            hidden.chain(&rules.denied_programs).map(|path| (path, inaccessible_kind(path)));
        let read_only = rules.read_only_in_writable().map(|path| (path, Kind::ReadOnly));
        let mounts: Vec<Mount> = hidden
            .chain(read_only)
            .filter(|(path, _)| path.exists())
            .filter_map(|(path, kind)| Some(Mount { path: c_string(path)?, kind }))
            .collect();
        (!mounts.is_empty()).then_some(Self { id_map, mounts })
    }

    pub(super) fn covers(&self, path: &Path) -> bool {
        self.mounts.iter().any(|mount| mount.path.as_bytes() == path.as_os_str().as_bytes())
    }

    /// Creates the namespace and the mounts. Async-signal-safe: system calls only.
    pub(super) fn apply(&self) -> io::Result<()> {
        self.create().map_err(|_| io::Error::from_raw_os_error(MOUNT_FAILED))
    }

    fn create(&self) -> io::Result<()> {
        match &self.id_map {
            None => unshare(libc::CLONE_NEWNS)?,
            Some(id_map) => {
                unshare(libc::CLONE_NEWNS | libc::CLONE_NEWUSER)?;
                id_map.write()?;
            }
        }
        mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
        self.mounts.iter().try_for_each(Mount::apply)
    }
}

impl Mount {
    fn apply(&self) -> io::Result<()> {
        match self.kind {
            Kind::InaccessibleFile => {
                mount(Some(c"/dev/null"), &self.path, None, libc::MS_BIND, None)?;
                // On a `nodev` mount, no process can open a device file, not even as root.
                add_mount_attributes(&self.path, libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_RDONLY)
            }
            Kind::InaccessibleFolder => {
                let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
                mount(None, &self.path, Some(c"tmpfs"), flags, Some(c"mode=000"))
            }
            Kind::ReadOnly => {
                let flags = libc::MS_BIND | libc::MS_REC;
                mount(Some(&self.path), &self.path, None, flags, None)?;
                add_mount_attributes(&self.path, libc::MOUNT_ATTR_RDONLY)
            }
        }
    }
}

impl IdMap {
    fn write(&self) -> io::Result<()> {
        // The kernel requires this before an unprivileged process maps a group.
        write_to(c"/proc/self/setgroups", "deny")?;
        write_to(c"/proc/self/uid_map", &self.user)?;
        write_to(c"/proc/self/gid_map", &self.group)
    }
}

/// Whether `error` comes from a child whose mounts failed; in that case, later runs omit mounts.
pub(super) fn is_mount_failure(error: &io::Error) -> bool {
    let refused = error.raw_os_error() == Some(MOUNT_FAILED);
    if refused {
        UNSUPPORTED.store(true, Ordering::Relaxed);
    }
    refused
}

/// Tries whether this system allows the namespaces.
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
#[expect(unsafe_code, reason = "the namespace is created in a child")]
pub(super) fn are_supported() -> bool {
    let nothing = Mounts { id_map: id_map(), mounts: Vec::new() };
    let mut command = Command::new(crate::search_path::system_program("true"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the closure runs between fork and exec; `apply` makes system calls only, and neither allocates
    // nor locks.
    unsafe { command.pre_exec(move || nothing.apply()) };
    command.status().is_ok_and(|status| status.success())
}

fn id_map() -> Option<IdMap> {
    let (user, group) = (geteuid(), getegid());
    let mapped_to_itself = |id: u32| format!("{id} {id} 1");
    (!user.is_root()).then(|| IdMap {
        user: mapped_to_itself(user.as_raw()),
        group: mapped_to_itself(group.as_raw()),
    })
}

fn inaccessible_kind(path: &Path) -> Kind {
    if path.is_dir() { Kind::InaccessibleFolder } else { Kind::InaccessibleFile }
}

fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

fn write_to(file: &CStr, text: &str) -> io::Result<()> {
    let file = open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text.as_bytes())?;
    Ok(())
}

#[expect(unsafe_code, reason = "rustix has `unshare` for threads only")]
fn unshare(namespaces: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes no pointer, and affects only the calling child.
    check(unsafe { libc::unshare(namespaces) })
}

#[expect(unsafe_code, reason = "rustix's mount needs another feature for one call")]
fn mount(
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

/// Adds attributes to the mount at `path` and clears none.
#[expect(unsafe_code, reason = "neither the standard library nor rustix has `mount_setattr`")]
fn add_mount_attributes(path: &CStr, attributes: u64) -> io::Result<()> {
    let change =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let here = rustix::fs::CWD.as_raw_fd();
    // SAFETY: `path` is a C string, and the size matches the structure; both outlive the call.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            here,
            path.as_ptr(),
            0,
            std::ptr::from_ref(&change),
            size_of::<libc::mount_attr>(),
        )
    };
    check(outcome as libc::c_int)
}

fn check(outcome: libc::c_int) -> io::Result<()> {
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
