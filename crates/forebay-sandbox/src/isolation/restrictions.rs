//! The sandbox of a run: built by the parent, applied by the child between fork and exec.
//!
//! The parent does everything that takes time or memory (paths, rules, the BPF program). The child makes
//! system calls only, because another thread may have held a lock when it was created.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::access::PREPARE;
use super::{AccessRules, Isolation, Profile};
use crate::RunError;

/// The prepared sandbox of a run.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// A private temp directory; removed with the sandbox.
    temp_dir: Option<TempDir>,
    restrictions: Option<Arc<Restrictions>>,
}

impl Sandbox {
    /// Builds the sandbox for `isolation`; it is empty under [`Profile::Off`].
    pub(crate) fn new(isolation: &Isolation) -> Result<Self, RunError> {
        if isolation.profile == Profile::Off {
            return Ok(Self { temp_dir: None, restrictions: None });
        }
        let missing = missing_mechanisms();
        if isolation.is_refused_if_missing() && !missing.is_empty() {
            return Err(RunError::NotIsolated { missing: missing.join(" and ") });
        }
        Self::build(isolation).map_err(RunError::io(PREPARE))
    }

    fn build(isolation: &Isolation) -> io::Result<Self> {
        let temp_dir = private_temp_dir(isolation.profile)?;
        let rules = AccessRules::new(isolation, temp_dir.as_ref().map(TempDir::path))?;
        Ok(Self { restrictions: Some(Arc::new(Restrictions::new(&rules)?)), temp_dir })
    }

    pub(crate) fn temp_dir(&self) -> Option<&Path> {
        self.temp_dir.as_ref().map(TempDir::path)
    }

    /// Whether a child failed on its mounts, which a rebuilt sandbox omits.
    pub(crate) fn needs_rebuild(error: &io::Error) -> bool {
        is_mount_failure(error)
    }

    /// Starts the supervisor of a child that has these restrictions, if it needs one.
    pub(crate) fn supervise(&self) -> io::Result<Option<Supervisor>> {
        self.restrictions.as_ref().map_or(Ok(None), |restrictions| restrictions.supervise())
    }

    /// Returns what the child applies to itself.
    pub(crate) fn restrictions(&self) -> Option<Arc<Restrictions>> {
        self.restrictions.clone()
    }
}

/// What this system lacks to isolate a run, as far as it is known: a missing namespace shows in the first run.
pub fn missing_mechanisms() -> Vec<&'static str> {
    missing()
}

fn private_temp_dir(profile: Profile) -> io::Result<Option<TempDir>> {
    let is_private = profile == Profile::Strict;
    is_private.then(|| tempfile::Builder::new().prefix("forebay-").tempdir()).transpose()
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{
    Restrictions, Supervisor, can_freeze_files, is_mount_failure, mechanisms, missing,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{
    Restrictions, Supervisor, can_freeze_files, is_mount_failure, mechanisms, missing,
};

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::os::fd::OwnedFd;

    pub(crate) use super::super::metadata::Supervisor;
    use super::super::metadata::{self, Supervision};
    use super::super::mounts::Mounts;
    use super::super::seccomp::SeccompFilter;
    use super::super::{AccessRules, capabilities, landlock, mounts};

    /// From here on, a process cannot read the memory of those that it started.
    const MIN_CLOSED_SCOPE: u8 = 2;

    /// What the child applies to itself.
    #[derive(Debug)]
    pub(crate) struct Restrictions {
        mounts: Option<Mounts>,
        ruleset: Option<OwnedFd>,
        filter: Option<SeccompFilter>,
        /// In place of the filter where there are no mounts.
        supervision: Option<Supervision>,
        /// The Landlock version of the kernel; 0 without Landlock.
        abi: i64,
    }

    impl Restrictions {
        pub(crate) fn new(rules: &AccessRules) -> io::Result<Self> {
            let mounts = Mounts::new(rules)?;
            let ruleset = landlock::ruleset(rules, mounts.as_ref())?;
            let filter = SeccompFilter::for_profile(rules.profile());
            let supervision = if mounts.is_some() { None } else { Supervision::new(rules)? };
            let abi = landlock::abi_version().unwrap_or_default();
            Ok(Self { mounts, ruleset, filter, supervision, abi })
        }

        /// Restricts the calling process. Async-signal-safe: system calls only.
        pub(crate) fn apply(&self) -> io::Result<()> {
            if let Some(mounts) = &self.mounts {
                mounts.apply()?;
            }
            capabilities::drop_most()?;
            // Required by Landlock and seccomp: no program gains privileges (sudo, setuid).
            rustix::thread::set_no_new_privs(true)?;
            if let Some(ruleset) = &self.ruleset {
                if let Some(mounts) = &self.mounts {
                    landlock::allow_terminals(ruleset, self.abi)?;
                    if let Some(folder) = mounts.shared_memory() {
                        landlock::allow_shared_memory(ruleset, self.abi, folder)?;
                    }
                }
                landlock::restrict_self(ruleset)?;
            }
            let is_supervised =
                self.supervision.as_ref().map_or(Ok(false), Supervision::install)?;
            if is_supervised {
                return Ok(());
            }
            self.filter.as_ref().map_or(Ok(()), SeccompFilter::install)
        }

        pub(crate) fn supervise(&self) -> io::Result<Option<Supervisor>> {
            self.supervision.as_ref().map_or(Ok(None), Supervision::start)
        }
    }

    pub(crate) fn is_mount_failure(error: &io::Error) -> bool {
        mounts::is_mount_failure(error)
    }

    /// Whether existing control files are read-only for runs; a missing namespace shows in the first run.
    pub(crate) fn can_freeze_files() -> bool {
        !mounts::are_refused()
    }

    pub(crate) fn missing() -> Vec<&'static str> {
        let landlock = landlock::abi_version().is_none().then_some("Landlock");
        let namespaces = mounts::are_refused().then_some("mount namespaces");
        let supervision = metadata::is_unsupported().then_some("supervision of system calls");
        [landlock, namespaces, supervision].into_iter().flatten().collect()
    }

    /// Describes the mechanisms of this system.
    pub(crate) fn mechanisms() -> Vec<String> {
        let paths = landlock::abi_version().map_or_else(
            || "no Landlock in this kernel: file access is NOT restricted".to_owned(),
            |version| format!("Landlock {version}"),
        );
        let mounts = match (mounts::are_supported(), metadata::is_unsupported()) {
            (true, _) => "mount namespaces".to_owned(),
            (false, false) => format!(
                "no mount namespaces: control files, terminals and sockets are NOT protected; {}",
                supervision_limits(ptrace_scope())
            ),
            (false, true) => {
                "no mount namespaces: modes and times of other files, control files, terminals and sockets are NOT protected"
                    .to_owned()
            }
        };
        vec![paths, "seccomp".to_owned(), mounts]
    }

    /// Which changes of modes and times are refused everywhere, because what the calls mean cannot be read.
    fn supervision_limits(ptrace_scope: u8) -> String {
        if ptrace_scope < MIN_CLOSED_SCOPE {
            return "non-dumpable processes can change no modes or times".to_owned();
        }
        format!(
            "with kernel.yama.ptrace_scope {ptrace_scope}, runs can change no modes or times by path"
        )
    }

    /// Who may inspect processes; 0 without such a limit.
    fn ptrace_scope() -> u8 {
        let text = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
        text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn limits_of_supervision_are_named() {
            for (scope, expected) in
                [(0, "non-dumpable"), (1, "non-dumpable"), (2, "ptrace_scope 2,")]
            {
                let limits = supervision_limits(scope);
                assert!(limits.contains(expected), "{limits}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;

    use super::super::{AccessRules, seatbelt};

    /// The profile for `sandbox-exec` on macOS.
    #[derive(Debug)]
    pub(crate) struct Restrictions {
        pub(crate) profile: String,
    }

    impl Restrictions {
        #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
        pub(crate) fn new(rules: &AccessRules) -> io::Result<Self> {
            Ok(Self { profile: seatbelt::profile(rules) })
        }

        #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
        pub(crate) fn apply(&self) -> io::Result<()> {
            Ok(())
        }

        #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
        pub(crate) const fn supervise(&self) -> io::Result<Option<Supervisor>> {
            Ok(None)
        }
    }

    /// The profile decides about every call.
    #[derive(Debug)]
    pub(crate) enum Supervisor {}

    pub(crate) const fn is_mount_failure(_: &io::Error) -> bool {
        false
    }

    pub(crate) const fn can_freeze_files() -> bool {
        cfg!(target_os = "macos")
    }

    pub(crate) fn missing() -> Vec<&'static str> {
        if cfg!(target_os = "macos") { Vec::new() } else { vec!["any isolation"] }
    }

    /// Describes the mechanisms of this system.
    pub(crate) fn mechanisms() -> Vec<String> {
        let mechanisms = if cfg!(target_os = "macos") {
            "sandbox-exec"
        } else {
            "none on this system: runs have all permissions of this user"
        };
        vec![mechanisms.to_owned()]
    }
}
