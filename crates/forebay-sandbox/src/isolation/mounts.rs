//! The files as a run sees them: mounts in a namespace of its own.
//!
//! Landlock decides which files can be opened, but it knows neither "all except this one" nor changes of modes,
//! owners, times and attributes. Mounts complete it:
//!
//! - every file system is read-only, except the writable directories, which are mounts of their own;
//! - denied paths inside writable directories are masked: with Landlock alone, denying `project/.env` would mean a
//!   rule for every other entry of the project, and the run could not access the files it creates next to it;
//! - frozen files inside writable directories are read-only, and the directories that lead to them are mounts, which
//!   cannot be renamed;
//! - terminals are private;
//! - sockets of other processes are covered, and memory is shared by the processes of the run only.
//!
//! A mount namespace can be created by root, by other users only in a user namespace, if the system allows these.
//! `seccomp` prevents the run from changing mounts. Support is not probed in advance: if the first run cannot
//! have its namespace, it is restarted without mounts.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;
use rustix::process::{getegid, geteuid};

use super::access::{AccessRules, is_within};
use super::mount_calls::{Depth, add_mount_attributes, mount, unshare, write_file};
use super::mount_table::writable_mount_points;
use super::shortage::is_shortage;

/// The errno of a child that could not have its namespace; no other step of the child setup fails with it.
const UNAVAILABLE: libc::c_int = libc::ENOTBLK;
/// The errno of a child whose paths have changed since they were looked up; likewise unique.
const CHANGED: libc::c_int = libc::ENOTUNIQ;
/// Set once the system has refused a mount namespace.
static UNSUPPORTED: AtomicBool = AtomicBool::new(false);

/// The settings that ssh includes, see [`included_ssh_settings`].
const SSH_SETTINGS: &str = "/etc/ssh/ssh_config.d";
/// They are a few lines.
const MAX_SETTINGS_BYTES: u64 = 64 * 1024;

/// Where terminals are, and the device that makes new ones.
pub(super) const TERMINALS_FOLDER: &str = "/dev/pts";
pub(super) const TERMINALS: &CStr = c"/dev/pts";
pub(super) const NEW_TERMINAL: &CStr = c"/dev/ptmx";
const NEW_TERMINAL_IN_FOLDER: &CStr = c"/dev/pts/ptmx";

/// The mounts of a child, with all strings allocated in advance.
#[derive(Debug)]
pub(super) struct Mounts {
    /// `None` for root, which needs no user namespace.
    id_map: Option<IdMap>,
    /// In the order in which they are made.
    list: Vec<Mount>,
    shared_memory: Option<CString>,
}

#[derive(Debug)]
struct Mount {
    path: CString,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A mount of its own: it stays writable, and cannot be renamed.
    Own,
    /// A file system of the machine, which becomes read-only.
    Sealed,
    /// Cannot be opened.
    InaccessibleFile,
    /// Replaced by an empty directory without permissions.
    InaccessibleFolder,
    /// Cannot be written.
    ReadOnly,
    /// Replaced by copies that belong to this user.
    Copied(Vec<(CString, Vec<u8>)>),
    /// Terminals that only the run sees.
    Terminals,
    /// Replaced by an empty directory with these mount options.
    Emptied(CString),
    /// A socket that cannot be connected to: something else is in its place.
    NoSocket,
}

/// Maps the user and group to themselves in the user namespace.
#[derive(Debug)]
struct IdMap {
    user: String,
    group: String,
}

impl Mounts {
    /// Returns the mounts for `rules`; `None` if mount namespaces are unsupported.
    pub(super) fn new(rules: &AccessRules) -> io::Result<Option<Self>> {
        if UNSUPPORTED.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let id_map = id_map();
        let mut plan: Vec<(PathBuf, Kind)> = Vec::new();
        let own = own_mounts(rules);
        let sealed =
            writable_mount_points()?.into_iter().filter(|point| !is_within(point, &rules.write));
        let sealed: Vec<_> = sealed.map(|point| (point, Kind::Sealed)).collect();
        plan.extend(own.into_iter().map(|path| (path, Kind::Own)));
        plan.extend(sealed);
        plan.extend(masked(rules));
        plan.extend(rules.frozen().map(|path| (path.clone(), Kind::ReadOnly)));
        if id_map.is_some() {
            let settings = included_ssh_settings();
            plan.extend(settings.map(|files| (PathBuf::from(SSH_SETTINGS), Kind::Copied(files))));
        }
        plan.push((TERMINALS_FOLDER.into(), Kind::Terminals));
        plan.extend(closed_sockets(rules));
        let memory = rules.shared_memory.iter();
        plan.extend(memory.map(|path| (path.clone(), Kind::Emptied(c"mode=1777".to_owned()))));
        let shared_memory = rules.shared_memory.as_deref().and_then(c_string);
        let mounts = plan
            .into_iter()
            .filter(|(path, kind)| matches!(kind, Kind::Sealed) || path.exists())
            .filter_map(|(path, kind)| Some(Mount { path: c_string(&path)?, kind }))
            .collect();
        Ok(Some(Self { id_map, list: mounts, shared_memory }))
    }

    /// The folder of shared memory, if the run has its own.
    pub(super) fn shared_memory(&self) -> Option<&CStr> {
        self.shared_memory.as_deref()
    }

    /// Whether a mount enforces what is denied about `path`.
    pub(super) fn covers(&self, path: &Path) -> bool {
        self.list.iter().any(|mount| {
            mount.enforces_denial() && mount.path.as_bytes() == path.as_os_str().as_bytes()
        })
    }

    /// Creates the namespace and the mounts. Async-signal-safe: system calls only.
    pub(super) fn apply(&self) -> io::Result<()> {
        self.create_namespace().map_err(|error| unless_short(error, UNAVAILABLE))?;
        self.list.iter().try_for_each(Mount::apply).map_err(|error| {
            let has_changed = matches!(
                error.raw_os_error(),
                Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP | libc::EACCES)
            );
            unless_short(error, if has_changed { CHANGED } else { UNAVAILABLE })
        })
    }

    fn create_namespace(&self) -> io::Result<()> {
        match &self.id_map {
            None => separate(libc::CLONE_NEWNS)?,
            Some(id_map) => {
                separate(libc::CLONE_NEWNS | libc::CLONE_NEWUSER)?;
                id_map.write()?;
            }
        }
        mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)
    }
}

/// Creates namespaces, also for System V shared memory, semaphores and queues if this kernel has such.
fn separate(namespaces: libc::c_int) -> io::Result<()> {
    match unshare(namespaces | libc::CLONE_NEWIPC) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSPC)) => {
            unshare(namespaces)
        }
        outcome => outcome,
    }
}

/// Marks the failure of a mount, except for a shortage, which the next run may not have.
fn unless_short(error: io::Error, mark: libc::c_int) -> io::Error {
    if is_shortage(&error) { error } else { io::Error::from_raw_os_error(mark) }
}

/// The writable directories, and the directories in them that cannot be renamed, outer ones first.
fn own_mounts(rules: &AccessRules) -> Vec<PathBuf> {
    // A device needs no mount: read-only mounts do not apply to it.
    let outer = rules.write.iter().filter(|path| {
        let is_inside = rules.write.iter().any(|other| other != *path && path.starts_with(other));
        !is_inside && (path.is_dir() || path.is_file())
    });
    let mut paths: Vec<PathBuf> = outer.chain(rules.fixed()).cloned().collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Hidden files everywhere, and hidden directories that are writable: elsewhere, Landlock denies these, which reports
/// a denial where a masked directory looks empty to root.
fn masked(rules: &AccessRules) -> impl Iterator<Item = (PathBuf, Kind)> {
    let hidden = rules
        .hidden_without_exceptions()
        .filter(|path| rules.is_writable(path) || path.is_file())
        .chain(&rules.denied_programs);
    hidden.map(|path| {
        let is_folder = path.is_dir();
        (path.clone(), if is_folder { Kind::InaccessibleFolder } else { Kind::InaccessibleFile })
    })
}

/// Directories of sockets are replaced by empty ones, in which the run can make its own; single sockets are covered.
fn closed_sockets(rules: &AccessRules) -> impl Iterator<Item = (PathBuf, Kind)> {
    rules.closed_sockets.iter().filter_map(|path| {
        let found = path.metadata().ok()?;
        let mode = found.permissions().mode() & 0o7777;
        let kind = if found.is_dir() {
            Kind::Emptied(CString::new(format!("mode={mode:o}")).ok()?)
        } else {
            Kind::NoSocket
        };
        Some((path.clone(), kind))
    })
}

/// Reads the settings in `/etc/ssh/ssh_config.d`.
///
/// In a user namespace, files of root belong to "nobody", and ssh refuses to include such a file. So it is given
/// copies that belong to this user.
fn included_ssh_settings() -> Option<Vec<(CString, Vec<u8>)>> {
    let entries = fs::read_dir(SSH_SETTINGS).ok()?.flatten();
    let read = |entry: fs::DirEntry| {
        let is_small = entry.path().metadata().ok()?.len() <= MAX_SETTINGS_BYTES;
        let content = is_small.then(|| fs::read(entry.path()).ok()).flatten()?;
        Some((c_string(&entry.path())?, content))
    };
    let files: Vec<_> = entries.filter_map(read).collect();
    (!files.is_empty()).then_some(files)
}

impl Mount {
    const fn enforces_denial(&self) -> bool {
        matches!(self.kind, Kind::InaccessibleFile | Kind::InaccessibleFolder | Kind::ReadOnly)
    }

    fn apply(&self) -> io::Result<()> {
        let unwritable = libc::MOUNT_ATTR_RDONLY;
        match &self.kind {
            Kind::Own => self.bind(),
            Kind::Sealed => self.seal(),
            Kind::InaccessibleFile => {
                mount(Some(c"/dev/null"), &self.path, None, libc::MS_BIND, None)?;
                // On a `nodev` mount, no process can open a device file, not even as root.
                add_mount_attributes(&self.path, libc::MOUNT_ATTR_NODEV | unwritable, Depth::One)
            }
            Kind::InaccessibleFolder => {
                let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
                mount(None, &self.path, Some(c"tmpfs"), flags, Some(c"mode=000"))
            }
            Kind::ReadOnly => {
                self.bind()?;
                add_mount_attributes(&self.path, unwritable, Depth::All)
            }
            Kind::Copied(files) => {
                let flags = libc::MS_NOSUID | libc::MS_NODEV;
                mount(None, &self.path, Some(c"tmpfs"), flags, Some(c"mode=755"))?;
                for (file, content) in files {
                    write_file(file, OFlags::CREATE, content)?;
                }
                add_mount_attributes(&self.path, unwritable, Depth::One)
            }
            Kind::Terminals => private_terminals(&self.path),
            Kind::Emptied(options) => {
                let flags = libc::MS_NOSUID | libc::MS_NODEV;
                mount(None, &self.path, Some(c"tmpfs"), flags, Some(options))
            }
            Kind::NoSocket => self.cover_socket(),
        }
    }

    fn bind(&self) -> io::Result<()> {
        mount(Some(&self.path), &self.path, None, libc::MS_BIND | libc::MS_REC, None)
    }

    /// A socket may be gone by now.
    fn cover_socket(&self) -> io::Result<()> {
        match mount(Some(c"/dev/null"), &self.path, None, libc::MS_BIND, None) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => {
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// A mount point that cannot be reached, or below which another mount was put, is out of reach for the run too.
    fn seal(&self) -> io::Result<()> {
        match add_mount_attributes(&self.path, libc::MOUNT_ATTR_RDONLY, Depth::One) {
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::EINVAL)
                ) =>
            {
                Ok(())
            }
            outcome => outcome,
        }
    }
}

/// Replaces the terminals of the machine, by none if the system refuses new ones.
fn private_terminals(folder: &CStr) -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=620";
    if mount(None, folder, Some(c"devpts"), flags, Some(options)).is_err() {
        return mount(None, folder, Some(c"tmpfs"), flags | libc::MS_RDONLY, None);
    }
    mount(Some(NEW_TERMINAL_IN_FOLDER), NEW_TERMINAL, None, libc::MS_BIND, None)
}

impl IdMap {
    fn write(&self) -> io::Result<()> {
        // The kernel requires this before an unprivileged process maps a group.
        write_file(c"/proc/self/setgroups", OFlags::empty(), b"deny")?;
        write_file(c"/proc/self/uid_map", OFlags::empty(), self.user.as_bytes())?;
        write_file(c"/proc/self/gid_map", OFlags::empty(), self.group.as_bytes())
    }
}

/// Whether `error` comes from a child whose mounts failed, so that a new sandbox can help. If the system refused the
/// namespace, later runs do without.
pub(super) fn is_mount_failure(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    let is_refused =
        code == Some(UNAVAILABLE) || code == Some(libc::ENOSPC) && are_namespaces_disabled();
    if is_refused {
        UNSUPPORTED.store(true, Ordering::Relaxed);
    }
    is_refused || code == Some(CHANGED)
}

/// Whether the administrator permits no namespaces; the kernel reports it as if all of them were in use.
fn are_namespaces_disabled() -> bool {
    ["user", "mnt"].iter().any(|kind| {
        let limit = fs::read_to_string(format!("/proc/sys/user/max_{kind}_namespaces"));
        limit.is_ok_and(|limit| limit.trim() == "0")
    })
}

/// Whether the system has refused a mount namespace.
pub(super) fn are_refused() -> bool {
    UNSUPPORTED.load(Ordering::Relaxed)
}

/// Tries whether this system allows the namespaces.
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
#[expect(unsafe_code, reason = "the namespace is created in a child")]
pub(super) fn are_supported() -> bool {
    let nothing = Mounts { id_map: id_map(), list: Vec::new(), shared_memory: None };
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

fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}
