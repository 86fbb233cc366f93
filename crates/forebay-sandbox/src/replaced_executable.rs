//! Finds processes that still run an executable which was replaced.

use std::path::Path;

/// Returns the other processes of this user whose executable was at `path` and is not there any more.
#[cfg(target_os = "linux")]
pub fn processes_of_replaced(path: &Path) -> Vec<u32> {
    let mut replaced = path.as_os_str().to_owned();
    replaced.push(" (deleted)");
    let is_replaced = |process: &u32| {
        std::fs::read_link(format!("/proc/{process}/exe")).is_ok_and(|exe| exe == *replaced)
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = processes.filter(|process| *process != std::process::id());
    others.filter(is_replaced).collect()
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub fn processes_of_replaced(_: &Path) -> Vec<u32> {
    Vec::new()
}
