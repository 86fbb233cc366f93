//! Restricts file access with Landlock: the parent builds a ruleset, the child applies it.
//!
//! Landlock has allow rules only, and a rule for a directory covers everything below it. "Everywhere except
//! X" therefore becomes a rule for each entry of each ancestor of X, except the one that leads to X. A file
//! that the run creates in such an ancestor is in no rule; `mounts` avoids this for writable directories.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

use super::access::AccessRules;
use super::mounts::{Mounts, NEW_TERMINAL, TERMINALS, TERMINALS_FOLDER};
use super::shortage::{entries, unless_shortage};

/// The newest supported ABI. Features that the kernel lacks are omitted.
const TARGET_ABI: ABI = ABI::V7;

/// Returns the kernel's Landlock ABI version; `None` if Landlock is missing or disabled.
#[expect(unsafe_code, reason = "the crate does not expose the version")]
pub(super) fn abi_version() -> Option<i64> {
    const CREATE_RULESET_VERSION: u32 = 1;
    let no_attributes = std::ptr::null::<u8>();
    // SAFETY: with this flag, the kernel requires a null pointer and size 0, and only returns a number.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, no_attributes, 0, CREATE_RULESET_VERSION)
    };
    (version > 0).then_some(version)
}

/// Applies `ruleset` to the calling thread and the program it executes. Async-signal-safe.
#[expect(unsafe_code, reason = "the crate's function allocates, which is not allowed after a fork")]
pub(super) fn restrict_self(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: the call takes no pointer, and `ruleset` keeps the descriptor open.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Rights for a file: execute, write, read; since ABI 3 truncate, since ABI 5 device control.
const FILE_RIGHTS: [(i64, u64); 3] = [(1, 0b111), (3, 1 << 14), (5, 1 << 15)];
const READ_FOLDER: u64 = 1 << 3;
/// Rights for a folder: list, remove and make entries; since ABI 2 move them.
const FOLDER_RIGHTS: [(i64, u64); 2] = [(1, 0b1_1111_1111_1000), (2, 1 << 13)];

/// Allows the private terminals of a run, which exist only in its mount namespace. Async-signal-safe.
pub(super) fn allow_terminals(ruleset: &OwnedFd, abi: i64) -> io::Result<()> {
    let rights = known_rights(&FILE_RIGHTS, abi);
    for (path, rights) in [(TERMINALS, rights | READ_FOLDER), (NEW_TERMINAL, rights)] {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) {
            add_rule(ruleset, &file, rights)?;
        }
    }
    Ok(())
}

/// Allows everything in the shared memory of a run, which exists only in its mount namespace. Async-signal-safe.
pub(super) fn allow_shared_memory(ruleset: &OwnedFd, abi: i64, folder: &CStr) -> io::Result<()> {
    let rights = known_rights(&FILE_RIGHTS, abi) | known_rights(&FOLDER_RIGHTS, abi);
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(folder) => add_rule(ruleset, &folder, rights),
        Err(_) => Ok(()),
    }
}

/// The rights that this version of Landlock has.
fn known_rights(rights: &[(i64, u64)], abi: i64) -> u64 {
    let known = rights.iter().filter(|(since, _)| *since <= abi);
    known.fold(0, |rights, (_, added)| rights | added)
}

/// Allows `rights` at and below `file`. Async-signal-safe.
#[expect(unsafe_code, reason = "the crate's function allocates, which is not allowed after a fork")]
fn add_rule(ruleset: &OwnedFd, file: &OwnedFd, rights: u64) -> io::Result<()> {
    /// `struct landlock_path_beneath_attr` of the kernel.
    #[repr(C, packed)]
    struct PathBeneathAttributes {
        rights: u64,
        parent: i32,
    }
    const PATH_BENEATH: u32 = 1;
    let rule = PathBeneathAttributes { rights, parent: file.as_raw_fd() };
    // SAFETY: `rule` has the layout of the kernel and outlives the call; both descriptors are open.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            PATH_BENEATH,
            std::ptr::from_ref(&rule),
            0,
        )
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Builds the ruleset for `rules`, except for the paths that `mounts` cover; `None` without Landlock.
pub(super) fn ruleset(rules: &AccessRules, mounts: Option<&Mounts>) -> io::Result<Option<OwnedFd>> {
    if abi_version().is_none() {
        return Ok(None);
    }
    let mut builder =
        RulesetBuilder { ruleset: Some(deny_all(rules)?), own_terminals: mounts.is_some() };
    let uncovered = |path: &&PathBuf| !mounts.is_some_and(|mounts| mounts.covers(path));
    builder.allow_reads(rules, &Exclusions::new(rules.inaccessible().filter(uncovered)))?;
    let unwritable = rules.inaccessible().chain(&rules.read_only);
    builder.allow_writes(rules, &Exclusions::new(unwritable.filter(uncovered)))?;
    Ok(builder.ruleset.and_then(Option::from))
}

/// Creates a ruleset that denies every access it handles.
fn deny_all(rules: &AccessRules) -> io::Result<RulesetCreated> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(TARGET_ABI))
        .and_then(|ruleset| ruleset.scope(scopes()));
    let ruleset = if rules.has_network() {
        ruleset
    } else {
        ruleset.and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(TARGET_ABI)))
    };
    ruleset.and_then(Ruleset::create).map_err(io::Error::other)
}

/// A run can signal only its own processes, not the server that started it, and connect to no abstract socket of
/// others (D-Bus, X11).
fn scopes() -> BitFlags<Scope> {
    Scope::from_all(TARGET_ABI)
}

/// Adds rules to a ruleset.
struct RulesetBuilder {
    /// `None` only while a rule is being added.
    ruleset: Option<RulesetCreated>,
    /// The terminals of the machine are replaced.
    own_terminals: bool,
}

impl RulesetBuilder {
    fn allow_reads(&mut self, rules: &AccessRules, exclusions: &Exclusions<'_>) -> io::Result<()> {
        let read = AccessFs::from_read(TARGET_ABI);
        if let Some(folders) = &rules.read {
            for folder in folders {
                self.allow_except(folder, exclusions, read)?;
            }
        } else {
            // Names can be listed everywhere, so that `ls ~` works.
            self.allow(Path::new("/"), AccessFs::ReadDir.into())?;
            self.allow_except(Path::new("/"), exclusions, read)?;
        }
        rules.exceptions.iter().try_for_each(|path| self.allow(path, read))
    }

    fn allow_writes(&mut self, rules: &AccessRules, exclusions: &Exclusions<'_>) -> io::Result<()> {
        let write = AccessFs::from_write(TARGET_ABI);
        rules.write.iter().try_for_each(|folder| self.allow_except(folder, exclusions, write))
    }

    /// Allows `path` and everything below it, except the exclusions.
    fn allow_except(
        &mut self,
        path: &Path,
        exclusions: &Exclusions<'_>,
        access: BitFlags<AccessFs>,
    ) -> io::Result<()> {
        if exclusions.contains(path) {
            return Ok(());
        }
        if !exclusions.is_ancestor(path) {
            return self.allow(path, access);
        }
        for entry in entries(path)? {
            self.allow_except(&entry.path(), exclusions, access)?;
        }
        Ok(())
    }

    /// Adds one rule. A path that cannot be opened needs none, since the run cannot open it either.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> io::Result<()> {
        if self.own_terminals && is_terminal(path) {
            return Ok(());
        }
        let opened = open_without_links(path).map_err(io::Error::from);
        let Some(file) = unless_shortage(opened)? else {
            return Ok(());
        };
        let ruleset = self.ruleset.take().ok_or(io::ErrorKind::InvalidInput)?;
        let added = ruleset.add_rule(PathBeneath::new(file, access)).map_err(io::Error::other)?;
        self.ruleset = Some(added);
        Ok(())
    }
}

fn is_terminal(path: &Path) -> bool {
    path.starts_with(TERMINALS_FOLDER) || path.as_os_str().as_bytes() == NEW_TERMINAL.to_bytes()
}

/// Opens a path for a rule. A link is not followed anywhere: the paths are canonical, so a link was put there by a run
/// in the meantime, and the last part has a rule for its target, or none.
fn open_without_links(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    // The magic links of `/proc` are not among the paths, and a kernel with Landlock has `openat2`.
    openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

/// Excluded paths and their ancestors.
struct Exclusions<'a> {
    excluded: BTreeSet<&'a Path>,
    ancestors: BTreeSet<&'a Path>,
}

impl<'a> Exclusions<'a> {
    fn new(paths: impl Iterator<Item = &'a PathBuf>) -> Self {
        let excluded: BTreeSet<&Path> = paths.map(PathBuf::as_path).collect();
        let ancestors = excluded.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        Self { excluded, ancestors }
    }

    fn contains(&self, path: &Path) -> bool {
        path.ancestors().any(|part| self.excluded.contains(part))
    }

    fn is_ancestor(&self, path: &Path) -> bool {
        self.ancestors.contains(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_ancestors_of_exclusions_from_siblings() {
        let hidden = [PathBuf::from("/h/u/.ssh"), PathBuf::from("/h/u/.gnupg")];
        let exclusions = Exclusions::new(hidden.iter());
        for (path, excluded, ancestors) in [
            ("/", false, true),
            ("/h/u", false, true),
            ("/h/u/.ssh", true, false),
            ("/h/u/.ssh/id", true, false),
            ("/h/u/.ssh2", false, false),
            ("/usr", false, false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (exclusions.contains(path), exclusions.is_ancestor(path)),
                (excluded, ancestors)
            );
        }
    }
}
