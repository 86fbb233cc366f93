//! Denied programs, and denied paths inside writable folders, covered by mounts that only the run sees.
//!
//! Landlock could keep a run from `project/.env` only by allowing each other entry of the project by
//! name, and then a file the run makes beside it would be out of its own reach. A mount over the denied
//! path has no such price. It needs a mount namespace: root may make one, everyone else in a user
//! namespace, where the system allows those. Landlock keeps the run from lifting the masks.
//!
//! Whether the system allows it is not asked before: the first run finds out, and is started anew without
//! masks where it does not.

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

use super::reach::Reach;

/// The error of a child that could not make its mounts; nothing else here fails with it.
const REFUSED: libc::c_int = libc::ENOTBLK;
/// Whether this system was found to give no mount namespace.
static ARE_REFUSED: AtomicBool = AtomicBool::new(false);

/// Mounts to be made by the child, with every string ready.
#[derive(Debug)]
pub(super) struct Masks {
    /// None for root, who needs no user namespace.
    identity: Option<Identity>,
    masks: Vec<Mask>,
}

#[derive(Debug)]
struct Mask {
    path: CString,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Opening it is refused.
    HiddenFile,
    /// It is empty and closed.
    HiddenFolder,
    /// It cannot be written.
    Frozen,
}

/// Who the run is in its user namespace: the same as outside.
#[derive(Debug)]
struct Identity {
    user: String,
    group: String,
}

impl Masks {
    /// The masks that `reach` needs; none if it needs none or this system gives no mount namespace.
    pub(super) fn of(reach: &Reach) -> Option<Self> {
        if ARE_REFUSED.load(Ordering::Relaxed) {
            return None;
        }
        let identity = identity();
        // Root pays little for a namespace; a rule for each other name in `/etc` costs more. Not so for
        // folders: a covered one looks empty, where Landlock says that it is refused.
        let is_cheaper = |path: &Path| identity.is_none() && path.is_file();
        let hidden = reach.hidden_whole().filter(|path| reach.writes(path) || is_cheaper(path));
        let hidden = hidden.chain(&reach.programs).map(|path| (path, hiding(path)));
        let frozen = reach.frozen_in_writable().map(|path| (path, Kind::Frozen));
        let masks: Vec<Mask> = hidden
            .chain(frozen)
            .filter(|(path, _)| path.exists())
            .filter_map(|(path, kind)| Some(Mask { path: c_string(path)?, kind }))
            .collect();
        (!masks.is_empty()).then_some(Self { identity, masks })
    }

    pub(super) fn cover_path(&self, path: &Path) -> bool {
        self.masks.iter().any(|mask| mask.path.as_bytes() == path.as_os_str().as_bytes())
    }

    /// Makes the namespace and the mounts; between fork and exec, so only system calls.
    pub(super) fn cover(&self) -> io::Result<()> {
        self.make().map_err(|_| io::Error::from_raw_os_error(REFUSED))
    }

    fn make(&self) -> io::Result<()> {
        match &self.identity {
            None => unshare(libc::CLONE_NEWNS)?,
            Some(identity) => {
                unshare(libc::CLONE_NEWNS | libc::CLONE_NEWUSER)?;
                identity.assume()?;
            }
        }
        mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
        self.masks.iter().try_for_each(Mask::cover)
    }
}

impl Mask {
    fn cover(&self) -> io::Result<()> {
        match self.kind {
            Kind::HiddenFile => {
                mount(Some(c"/dev/null"), &self.path, None, libc::MS_BIND, None)?;
                // Without devices, opening this one is refused, to root too.
                forbid(&self.path, libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_RDONLY)
            }
            Kind::HiddenFolder => {
                let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
                mount(None, &self.path, Some(c"tmpfs"), flags, Some(c"mode=000"))
            }
            Kind::Frozen => {
                let flags = libc::MS_BIND | libc::MS_REC;
                mount(Some(&self.path), &self.path, None, flags, None)?;
                forbid(&self.path, libc::MOUNT_ATTR_RDONLY)
            }
        }
    }
}

impl Identity {
    fn assume(&self) -> io::Result<()> {
        // The kernel wants this before a group may be mapped.
        write_to(c"/proc/self/setgroups", "deny")?;
        write_to(c"/proc/self/uid_map", &self.user)?;
        write_to(c"/proc/self/gid_map", &self.group)
    }
}

/// Whether `error` is that of a child that could not make its mounts; from now on none is asked to.
pub(super) fn were_refused(error: &io::Error) -> bool {
    let refused = error.raw_os_error() == Some(REFUSED);
    if refused {
        ARE_REFUSED.store(true, Ordering::Relaxed);
    }
    refused
}

/// Whether mounts can be made here, found out by trying.
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
#[expect(unsafe_code, reason = "the namespace is made by a child")]
pub(super) fn are_available() -> bool {
    let nothing = Masks { identity: identity(), masks: Vec::new() };
    let mut command = Command::new("true");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: `cover` makes system calls only; it neither allocates nor locks.
    unsafe { command.pre_exec(move || nothing.cover()) };
    command.status().is_ok_and(|status| status.success())
}

fn identity() -> Option<Identity> {
    let (user, group) = (geteuid(), getegid());
    let mapped_to_itself = |id: u32| format!("{id} {id} 1");
    (!user.is_root()).then(|| Identity {
        user: mapped_to_itself(user.as_raw()),
        group: mapped_to_itself(group.as_raw()),
    })
}

fn hiding(path: &Path) -> Kind {
    if path.is_dir() { Kind::HiddenFolder } else { Kind::HiddenFile }
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
    // SAFETY: takes no pointer; the caller is the only thread of a fresh child.
    done(unsafe { libc::unshare(namespaces) })
}

#[expect(unsafe_code, reason = "rustix's mount wants more of its features than this one call")]
fn mount(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: every pointer is null or a C string that lives beyond the call.
    done(unsafe {
        libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, pointer(options).cast())
    })
}

/// Adds restrictions to the mount at `path`, and takes none away.
#[expect(unsafe_code, reason = "neither the standard library nor rustix has `mount_setattr`")]
fn forbid(path: &CStr, attributes: u64) -> io::Result<()> {
    let change =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let here = rustix::fs::CWD.as_raw_fd();
    // SAFETY: the path is a C string and the structure is of the size that is passed with it.
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
    done(outcome as libc::c_int)
}

fn done(outcome: libc::c_int) -> io::Result<()> {
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
