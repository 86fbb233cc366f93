//! Finds out whether a process descends from another one.

use std::collections::BTreeSet;
use std::fs;

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

/// Parses parent, group and session from `/proc/<pid>/stat`, after the program's name in parentheses.
fn origins_in(stat: &[u8]) -> Option<[u32; 3]> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let numbers: Vec<u32> = fields.skip(1).take(3).filter_map(|field| field.parse().ok()).collect();
    numbers.try_into().ok()
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

    #[test]
    fn parses_the_origins_behind_the_program_name() {
        assert_eq!(origins_in(b"7 (a) 1 2) S 3 42 43 0"), Some([3, 42, 43]));
        assert_eq!(origins_in(b"7 (a) S 3"), None);
    }
}
