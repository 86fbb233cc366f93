//! Isolation: what a run can touch, held by the kernel and not by good manners.
//!
//! Read the modules in this order:
//!
//! - `places`: the tables of secret stores, tool caches, toolchains and system folders;
//! - `reach`: what a profile lets a run read and write, as `real` paths, with the caches of tools that are
//!   `installed`;
//! - `environment`: the inherited variables that would put foreign code into a run;
//! - `fence`: the same as a fence that the child closes behind itself between fork and exec, on Linux
//!   made of `landlock` (paths), `masks` (denied paths inside writable folders), `filter` (system calls);
//! - `seatbelt`: the same as a macOS profile;
//! - `blocked`: tells from a run's output what the fence refused, and which setting would allow it;
//! - `prove`: tries it out.
//!
//! What it does not hold back: a hard link inside the project to a denied file is that file under
//! another name and can be read; names of files can be listed everywhere under `project`; and a process
//! that leaves the session of its run is out of the reach of its limits, though not of its fence.

mod blocked;
mod environment;
mod fence;
#[cfg(target_os = "linux")]
mod filter;
mod installed;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod masks;
mod places;
mod prove;
mod reach;
mod real;
mod seatbelt;

use std::fmt;
use std::path::PathBuf;

pub use blocked::explain;
pub(crate) use environment::hijackers;
pub(crate) use fence::{Fence, Held};
pub use prove::{Outcome, Proof, Trial, prove};
pub use reach::Reach;

/// How much a run is held back; the later the tighter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Profile {
    /// Not at all: the run has this user's rights.
    #[default]
    Off,
    /// Reads all but secrets, writes the project, temp and tool caches; has the network.
    Project,
    /// Reads the project and the system, writes the project and a temp of its own; has no network.
    Strict,
}

impl Profile {
    pub const ALL: [Self; 3] = [Self::Off, Self::Project, Self::Strict];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Project => "project",
            Self::Strict => "strict",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The tighter of the two: what a caller who may only tighten gets.
    #[must_use]
    pub fn tightened_by(self, other: Self) -> Self {
        self.max(other)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A profile, and the folders it speaks of on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Isolation {
    pub profile: Profile,
    /// None where the caller stands in no project: then only temp and caches can be written.
    pub project_root: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// Forebay's own data, which no run may write.
    pub data_folder: Option<PathBuf>,
    /// Can be written beyond the profile.
    pub write: Vec<PathBuf>,
    /// Can be read beyond the profile, also inside a secret store.
    pub read: Vec<PathBuf>,
    /// Can be neither read nor written, whatever else is said.
    pub deny: Vec<PathBuf>,
    /// Programs that cannot be run.
    pub programs: Vec<PathBuf>,
    /// Can be read, but not written, though a folder around it may be.
    pub frozen: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_only_ever_tightened() {
        for (own, asked, got) in [
            (Profile::Project, Profile::Strict, Profile::Strict),
            (Profile::Project, Profile::Off, Profile::Project),
            (Profile::Strict, Profile::Project, Profile::Strict),
            (Profile::Off, Profile::Project, Profile::Project),
        ] {
            assert_eq!(own.tightened_by(asked), got);
        }
    }

    #[test]
    fn names_are_read_back() {
        for profile in Profile::ALL {
            assert_eq!(Profile::named(profile.name()), Some(profile));
        }
        assert_eq!(Profile::named("loose"), None);
    }
}
