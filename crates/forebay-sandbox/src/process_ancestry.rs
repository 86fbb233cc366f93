//! Finds out whether a process descends from another one.

use std::collections::BTreeSet;
use std::fs;

use crate::process_stat::ProcessStat;

/// More generations mean that the processes changed while they were read.
const MAX_PROCESSES: usize = 256;

/// Whether `pid` is `ancestor`, or was started by it or by its descendants.
///
/// A process whose parent has exited belongs to the init process, so the leaders of its group and its session
/// are followed too. False on systems without `/proc`.
pub fn descends_from(pid: u32, ancestor: u32) -> bool {
    descends(pid, ancestor, &|pid| origins_in(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

fn descends(pid: u32, ancestor: u32, origins: &dyn Fn(u32) -> Option<[u32; 3]>) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![pid]);
    while let Some(pid) = open.pop() {
        if pid == ancestor {
            return true;
        }
        // 0 has no origin, 1 is the init process, which every orphan has as its parent.
        if pid > 1 && seen.len() < MAX_PROCESSES && seen.insert(pid) {
            open.extend(origins(pid).into_iter().flatten());
        }
    }
    false
}

/// The parent, and the leaders of the group and the session.
fn origins_in(stat: &[u8]) -> Option<[u32; 3]> {
    let ProcessStat { parent, group, session, .. } = ProcessStat::parse(stat)?;
    let [parent, group, session] = [parent, group, session].map(u32::try_from);
    Some([parent.ok()?, group.ok()?, session.ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_parents_groups_and_sessions() {
        let origins = |pid| match pid {
            5 => Some([4, 5, 5]),
            // Its parent has exited; its session was created by 5.
            7 => Some([1, 7, 5]),
            8 => Some([1, 8, 8]),
            _ => None,
        };
        for (pid, expect) in [(4, true), (5, true), (7, true), (8, false), (9, false)] {
            assert_eq!(descends(pid, 4, &origins), expect, "{pid}");
        }
    }
}
