//! The fence around a run: made by the parent, entered by the child between fork and exec.
//!
//! All that takes time or memory (paths, rules, the filter's program) happens in the parent. After the
//! fork only system calls are made, for another thread may have held a lock at that moment.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::{Isolation, Profile, Reach};

/// What holds a run, ready to be entered.
#[derive(Debug)]
pub(crate) struct Fence {
    /// A temp folder that no other run sees; removed with the fence.
    temp: Option<TempDir>,
    held: Option<Arc<Held>>,
}

impl Fence {
    /// Makes the fence of `isolation`. A run under no profile has none.
    pub(crate) fn around(isolation: &Isolation) -> io::Result<Self> {
        if isolation.profile == Profile::Off {
            return Ok(Self { temp: None, held: None });
        }
        let temp = own_temp(isolation.profile)?;
        let reach = Reach::of(isolation, temp.as_ref().map(TempDir::path));
        Ok(Self { held: Some(Arc::new(Held::by(&reach)?)), temp })
    }

    pub(crate) fn temp(&self) -> Option<&Path> {
        self.temp.as_ref().map(TempDir::path)
    }

    /// Whether a child could not enter because of something that a fence made anew does without.
    pub(crate) fn was_refused(error: &io::Error) -> bool {
        refused(error)
    }

    /// What the child takes with it.
    pub(crate) fn held(&self) -> Option<Arc<Held>> {
        self.held.clone()
    }
}

fn own_temp(profile: Profile) -> io::Result<Option<TempDir>> {
    let wanted = profile == Profile::Strict;
    wanted.then(|| tempfile::Builder::new().prefix("forebay-").tempdir()).transpose()
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{Held, in_force, refused};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{Held, in_force, refused};

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::OwnedFd;

    use super::super::filter::Filter;
    use super::super::masks::Masks;
    use super::super::{Reach, landlock, masks};

    /// What the child closes behind itself.
    #[derive(Debug)]
    pub(crate) struct Held {
        masks: Option<Masks>,
        ruleset: Option<OwnedFd>,
        filter: Option<Filter>,
    }

    impl Held {
        pub(crate) fn by(reach: &Reach) -> io::Result<Self> {
            let masks = Masks::of(reach);
            let ruleset = landlock::ruleset(reach, masks.as_ref())?;
            Ok(Self { masks, ruleset, filter: Filter::of(reach.profile()) })
        }

        /// Enters the fence; between fork and exec, so only system calls.
        pub(crate) fn enter(&self) -> io::Result<()> {
            if let Some(masks) = &self.masks {
                masks.cover()?;
            }
            // Both of the following want it: no program that is started gains rights (sudo, setuid).
            rustix::thread::set_no_new_privs(true)?;
            if let Some(ruleset) = &self.ruleset {
                landlock::restrict_self(ruleset)?;
            }
            self.filter.as_ref().map_or(Ok(()), Filter::hold_self)
        }
    }

    pub(crate) fn refused(error: &io::Error) -> bool {
        masks::were_refused(error)
    }

    /// What this system offers, in words.
    pub(crate) fn in_force() -> Vec<String> {
        let paths = landlock::version().map_or_else(
            || "no Landlock in this kernel: paths are NOT held back".to_owned(),
            |version| format!("Landlock {version}"),
        );
        let mounts = if masks::are_available() {
            "mount namespaces"
        } else {
            "no mount namespaces (new files beside a denied one cannot be read)"
        };
        vec![paths, "seccomp".to_owned(), mounts.to_owned()]
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;

    use super::super::{Reach, seatbelt};

    /// The profile that `sandbox-exec` holds the run to, on macOS.
    #[derive(Debug)]
    pub(crate) struct Held {
        pub(crate) profile: String,
    }

    impl Held {
        #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
        pub(crate) fn by(reach: &Reach) -> io::Result<Self> {
            Ok(Self { profile: seatbelt::profile(reach) })
        }

        #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
        pub(crate) fn enter(&self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(crate) const fn refused(_: &io::Error) -> bool {
        false
    }

    /// What this system offers, in words.
    pub(crate) fn in_force() -> Vec<String> {
        let offered = if cfg!(target_os = "macos") {
            "sandbox-exec"
        } else {
            "none on this system: runs have this user's rights"
        };
        vec![offered.to_owned()]
    }
}
