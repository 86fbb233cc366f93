//! The user, groups and capabilities of a thread, which decide what it may change.

use rustix::io::Errno;
use rustix::process::getgroups;
use rustix::thread::{
    CapabilitySet, Gid, Uid, capabilities, set_capabilities, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

/// Those for file systems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    user: u32,
    group: u32,
    groups: Vec<u32>,
    capabilities: CapabilitySet,
}

impl Identity {
    /// That of the calling thread.
    pub(super) fn own() -> Result<Self, Errno> {
        Ok(Self {
            user: rustix::process::geteuid().as_raw(),
            group: rustix::process::getegid().as_raw(),
            groups: getgroups()?.into_iter().map(Gid::as_raw).collect(),
            capabilities: capabilities(None)?.effective,
        })
    }

    /// Reads `/proc/PID/status`.
    pub(super) fn parse(status: &str) -> Option<Self> {
        let field = |name: &str| {
            status
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(str::trim)
        };
        // The fourth is that for file systems.
        let last = |name: &str| field(name)?.split_whitespace().nth(3)?.parse().ok();
        let groups = field("Groups")?.split_whitespace().map(str::parse);
        let bits = u64::from_str_radix(field("CapEff")?, 16).ok()?;
        Some(Self {
            user: last("Uid")?,
            group: last("Gid")?,
            groups: groups.collect::<Result<_, _>>().ok()?,
            capabilities: CapabilitySet::from_bits_retain(bits),
        })
    }

    /// Gives the calling thread, which has this identity, another one. Fails if the thread would not have all of it, or
    /// more.
    pub(super) fn adopt(&mut self, other: Self) -> Result<(), Errno> {
        if *self == other {
            return Ok(());
        }
        self.regain_capabilities()?;
        self.change_users(&other)?;
        let mut sets = capabilities(None)?;
        sets.effective = sets.permitted & other.capabilities;
        set_capabilities(None, sets)?;
        *self = Self::own()?;
        if *self == other { Ok(()) } else { Err(Errno::PERM) }
    }

    /// The saved user is the one that the thread began with.
    fn regain_capabilities(&mut self) -> Result<(), Errno> {
        let mut sets = capabilities(None)?;
        sets.effective = sets.permitted;
        set_capabilities(None, sets)?;
        *self = Self::own()?;
        Ok(())
    }

    /// Only root can; others have one identity.
    fn change_users(&self, other: &Self) -> Result<(), Errno> {
        if self.groups != other.groups {
            let groups: Vec<Gid> = other.groups.iter().copied().map(Gid::from_raw).collect();
            set_thread_groups(&groups)?;
        }
        if self.group != other.group {
            set_thread_res_gid(None, Gid::from_raw(other.group), None)?;
        }
        if self.user != other.user {
            set_thread_res_uid(None, Uid::from_raw(other.user), None)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tsh\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t8 20 \nCapEff:\t00000000000004cb\n";

    #[test]
    fn reads_the_identity_for_file_systems() {
        let identity = Identity::parse(STATUS).unwrap();
        assert_eq!((identity.user, identity.group, &*identity.groups), (4, 8, &[8, 20][..]));
        assert_eq!(identity.capabilities.bits(), 0x4cb);
        assert_eq!(Identity::parse("Uid:\t1\n"), None);
    }

    #[test]
    fn the_own_identity_is_that_of_the_status() {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        assert_eq!(Identity::parse(&status).unwrap(), Identity::own().unwrap());
    }
}
