//! Paths, held by Landlock: a ruleset made in the parent, entered by the child.
//!
//! Landlock only knows what is allowed, and what is allowed for a folder holds for all below it.
//! "Everywhere but X" is therefore said as: every entry of each folder on the way to X, except the one
//! that leads there. A name that appears in such a folder while the run goes on is in no rule; `masks`
//! spares the writable folders that.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::fs::{Mode, OFlags, open};

use super::masks::Masks;
use super::reach::Reach;

/// The newest interface this was written for. What the kernel does not know of it is left out.
const NEWEST: ABI = ABI::V7;

/// The version of the kernel's Landlock; none where it has none, or has it switched off.
#[expect(unsafe_code, reason = "the crate keeps the question to itself")]
pub(super) fn version() -> Option<i64> {
    const ASK_FOR_THE_VERSION: u32 = 1;
    let no_attributes = std::ptr::null::<u8>();
    // SAFETY: with this flag the kernel takes no attributes, and answers with a number.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, no_attributes, 0, ASK_FOR_THE_VERSION)
    };
    (version > 0).then_some(version)
}

/// Holds the calling thread, and what it becomes, to `ruleset`; between fork and exec.
#[expect(unsafe_code, reason = "the crate's own way allocates, which is not allowed after a fork")]
pub(super) fn restrict_self(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes no pointer; the descriptor is open.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes the ruleset of `reach`; none where the kernel has no Landlock.
///
/// What `masks` cover is left to them.
pub(super) fn ruleset(reach: &Reach, masks: Option<&Masks>) -> io::Result<Option<OwnedFd>> {
    if version().is_none() {
        return Ok(None);
    }
    let mut rules = Rules { ruleset: Some(handled(reach)?) };
    let uncovered = |path: &&PathBuf| !masks.is_some_and(|masks| masks.cover_path(path));
    rules.let_read(reach, &Around::new(reach.hidden_and_programs().filter(uncovered)))?;
    let kept = reach.hidden_and_programs().chain(&reach.frozen);
    rules.let_write(reach, &Around::new(kept.filter(uncovered)))?;
    Ok(rules.ruleset.and_then(Option::from))
}

/// A ruleset that refuses everything it handles.
fn handled(reach: &Reach) -> io::Result<RulesetCreated> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|ruleset| ruleset.scope(scopes(reach)));
    let ruleset = if reach.has_network() {
        ruleset
    } else {
        ruleset.and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(NEWEST)))
    };
    ruleset.and_then(Ruleset::create).map_err(io::Error::other)
}

/// A run signals none but its own processes: not the server that started it either.
fn scopes(reach: &Reach) -> BitFlags<Scope> {
    if reach.has_network() { Scope::Signal.into() } else { Scope::from_all(NEWEST) }
}

/// A ruleset that rules are added to.
struct Rules {
    /// Taken out for the moment in which a rule is added.
    ruleset: Option<RulesetCreated>,
}

impl Rules {
    fn let_read(&mut self, reach: &Reach, around: &Around<'_>) -> io::Result<()> {
        let read = AccessFs::from_read(NEWEST);
        if let Some(folders) = &reach.read {
            for folder in folders {
                self.allow_around(folder, around, read)?;
            }
        } else {
            // Names can be listed everywhere: without that no `ls ~` would work.
            self.allow(Path::new("/"), AccessFs::ReadDir.into())?;
            self.allow_around(Path::new("/"), around, read)?;
        }
        reach.shown.iter().try_for_each(|path| self.allow(path, read))
    }

    fn let_write(&mut self, reach: &Reach, around: &Around<'_>) -> io::Result<()> {
        let write = AccessFs::from_write(NEWEST);
        reach.write.iter().try_for_each(|folder| self.allow_around(folder, around, write))
    }

    /// Allows `path` and all below it, without what `around` leaves out.
    fn allow_around(
        &mut self,
        path: &Path,
        around: &Around<'_>,
        access: BitFlags<AccessFs>,
    ) -> io::Result<()> {
        if around.leaves_out(path) {
            return Ok(());
        }
        if !around.leads_to_one(path) {
            return self.allow(path, access);
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            self.allow_around(&entry.path(), around, access)?;
        }
        Ok(())
    }

    /// Adds one rule. What cannot be opened cannot be used by the run either, and needs none.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> io::Result<()> {
        // A link is not followed: where it leads is allowed there, or not at all.
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let Ok(file) = open(path, flags, Mode::empty()) else {
            return Ok(());
        };
        let ruleset = self.ruleset.take().ok_or(io::ErrorKind::InvalidInput)?;
        let added = ruleset.add_rule(PathBeneath::new(file, access)).map_err(io::Error::other)?;
        self.ruleset = Some(added);
        Ok(())
    }
}

/// Paths to go around, and the folders on the way to them.
struct Around<'a> {
    left_out: BTreeSet<&'a Path>,
    on_the_way: BTreeSet<&'a Path>,
}

impl<'a> Around<'a> {
    fn new(paths: impl Iterator<Item = &'a PathBuf>) -> Self {
        let left_out: BTreeSet<&Path> = paths.map(PathBuf::as_path).collect();
        let on_the_way = left_out.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        Self { left_out, on_the_way }
    }

    fn leaves_out(&self, path: &Path) -> bool {
        path.ancestors().any(|part| self.left_out.contains(part))
    }

    fn leads_to_one(&self, path: &Path) -> bool {
        self.on_the_way.contains(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_path_is_told_from_its_siblings() {
        let hidden = [PathBuf::from("/h/u/.ssh"), PathBuf::from("/h/u/.gnupg")];
        let around = Around::new(hidden.iter());
        for (path, left_out, on_the_way) in [
            ("/", false, true),
            ("/h/u", false, true),
            ("/h/u/.ssh", true, false),
            ("/h/u/.ssh/id", true, false),
            ("/h/u/.ssh2", false, false),
            ("/usr", false, false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (around.leaves_out(path), around.leads_to_one(path)),
                (left_out, on_the_way)
            );
        }
    }
}
