//! Isolation: restricts what a run can access, enforced by the kernel.
//!
//! Read the modules in this order:
//!
//! - `known_paths`: the tables of tool caches, toolchains, sockets and system directories; `known_secrets`: those of
//!   secret stores and credentials;
//! - `access`: the paths that a profile lets a run read and write, resolved by `canonicalize`, with the
//!   caches of the `installed_tools`;
//! - `shared_memory`: the memory that processes share by name;
//! - `sockets`: the sockets of other processes that a run cannot connect to;
//! - `shortage`: what ends a run instead of leaving a gap in its isolation;
//! - `environment`: inherited variables that inject code into a run;
//! - `restrictions`: the sandbox that the child applies to itself between fork and exec, on Linux built from
//!   `landlock` (paths), `mounts` (read-only file systems, denied and frozen paths inside writable directories,
//!   with `mount_table` and `mount_calls`), `capabilities` (of root) and `seccomp` (system calls);
//! - `metadata`: decides about changes of modes, owners and times while the run lasts, where mounts are not possible;
//! - `start_files`: what shells and tools execute out of caches that a run can write, with the name of the user in
//!   `user_entry`;
//! - `control_files`: sets aside what a run makes under the name of a file that other programs obey, or in one of the
//!   `submodules`, if their hooks or `git_settings` may execute something; by `file_stamps`, finds what was changed;
//!   `control_records` have the next run do so if this process is killed;
//! - `git_named_files`: hooks and settings elsewhere that the settings of git name, read by `git_config_parser`;
//! - `seatbelt`: the same rules as a macOS profile;
//! - `denials`: finds denials in the output of a run, and names the setting that would allow the access;
//!   `line_parts` finds the paths in a line, `process_denials` explains signals and the state of processes;
//! - `self_test`: tries to escape, with real processes.
//!
//! Not covered: a hard link inside the project to a denied file can be read, since it is that file under
//! another name; and file names can be listed everywhere under `project`.

mod access;
mod canonicalize;
#[cfg(target_os = "linux")]
mod capabilities;
mod control_files;
mod control_records;
mod denial_phrases;
mod denials;
mod environment;
mod file_stamps;
mod git_config_parser;
mod git_named_files;
mod git_settings;
mod installed_tools;
mod known_paths;
mod known_secrets;
#[cfg(target_os = "linux")]
mod landlock;
mod line_parts;
#[cfg(target_os = "linux")]
mod metadata;
#[cfg(target_os = "linux")]
mod mount_calls;
#[cfg(target_os = "linux")]
mod mount_table;
#[cfg(target_os = "linux")]
mod mounts;
mod process_denials;
mod restrictions;
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;
mod self_test;
mod shared_memory;
mod shortage;
mod sockets;
mod start_files;
mod submodules;
mod user_entry;

use std::fmt;
use std::path::PathBuf;

pub use access::{AccessRules, missing_caches};
pub(crate) use control_files::ControlFiles;
pub use denials::explain_denials;
pub(crate) use environment::injection_variables;
pub use git_named_files::{NamedFiles, user_git_settings};
pub use restrictions::missing_mechanisms;
pub(crate) use restrictions::{Restrictions, Sandbox, can_freeze_files};
pub use self_test::{CheckOutcome, EscapeCheck, SelfTestReport, self_test};
pub use start_files::start_files;
pub use submodules::{Submodule, Submodules};

/// How strictly a run is isolated, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Profile {
    /// Not at all: the run has all permissions of this user.
    #[default]
    Off,
    /// Reads everything but secrets; writes the project, temp and tool caches; has network access.
    Project,
    /// Reads the project and the system; writes the project and a private temp directory; has no network.
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

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Returns the stricter of the two, for a caller that may only tighten the profile.
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

/// A profile, and the paths it applies to on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Isolation {
    pub profile: Profile,
    /// `None` outside of a project: then only temp and tool caches are writable.
    pub project_root: Option<PathBuf>,
    /// Git's folder of a worktree or submodule, writable too. The caller decides it before the first run: what a run
    /// writes into the project must not grant anything.
    pub git_folder: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// Forebay's own data; never writable.
    pub data_folder: Option<PathBuf>,
    /// Writable in addition to the profile.
    pub write: Vec<PathBuf>,
    /// Readable in addition to the profile, even inside a secret store.
    pub read: Vec<PathBuf>,
    /// Sockets of other processes, or directories of them, that the run can connect to.
    pub sockets: Vec<PathBuf>,
    /// The words of the command that may name programs: each gets the credentials that it owns.
    pub programs: Vec<String>,
    /// More credentials, which are hidden.
    pub credentials: Vec<PathBuf>,
    /// Neither readable nor writable; overrides all other rules.
    pub deny: Vec<PathBuf>,
    /// Programs that cannot be executed.
    pub denied_programs: Vec<PathBuf>,
    /// Readable but not writable, even inside a writable directory.
    pub read_only: Vec<PathBuf>,
    /// Files and directories from which other programs take commands or settings. Where mounts are possible, an
    /// existing one cannot be written; one that a run makes is set aside when it ends.
    pub control_files: Vec<PathBuf>,
    /// The submodules of the project before the run.
    pub submodules: Option<Submodules>,
    /// Directories that cannot be renamed where mounts are possible.
    pub fixed: Vec<PathBuf>,
    /// Refuse to run where the system cannot isolate; `strict` always refuses.
    pub is_required: bool,
}

impl Isolation {
    fn names(&self, program: &str) -> bool {
        self.programs.iter().any(|named| named == program)
    }

    /// Whether a run that cannot be isolated is refused.
    fn is_refused_if_missing(&self) -> bool {
        self.is_required || self.profile == Profile::Strict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_only_tightened() {
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
    fn parses_profile_names() {
        for profile in Profile::ALL {
            assert_eq!(Profile::from_name(profile.name()), Some(profile));
        }
        assert_eq!(Profile::from_name("loose"), None);
    }
}
