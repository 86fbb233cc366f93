//! Processes of this user that run a program, and processes that have files of a folder open.
//!
//! Only Linux tells; on other systems the answer is None, which is not the same as none.

use std::path::{Path, PathBuf};

/// A process, with its command line and what of its environment can be read.
#[derive(Debug, Clone)]
pub struct ProgramProcess {
    pub id: u32,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
}

/// Returns the other processes that run the executable at a path, or one that was replaced there.
pub fn processes_of(executable: &Path) -> Option<Vec<ProgramProcess>> {
    let mut replaced = executable.as_os_str().to_owned();
    replaced.push(" (deleted)");
    let runs_it = |process: &Process| {
        std::fs::read_link(process.file("exe"))
            .is_ok_and(|exe| exe == executable || exe == *replaced)
    };
    Some(others()?.filter(runs_it).map(|process| process.describe()).collect())
}

/// Returns the ids of other processes that have files in a folder open.
pub fn processes_with_files_in(folder: &Path) -> Option<Vec<u32>> {
    let has_files = |process: &Process| {
        let descriptors = std::fs::read_dir(process.file("fd")).into_iter().flatten().flatten();
        let mut files = descriptors.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        files.any(|file| file.starts_with(folder))
    };
    Some(others()?.filter(has_files).map(|process| process.0).collect())
}

struct Process(u32);

impl Process {
    fn file(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.0))
    }

    fn describe(&self) -> ProgramProcess {
        let variables = self.texts("environ").into_iter().filter_map(|variable| {
            variable.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        });
        let environment = variables.collect();
        ProgramProcess { id: self.0, arguments: self.texts("cmdline"), environment }
    }

    /// The texts of a file that ends each with a NUL byte.
    fn texts(&self, name: &str) -> Vec<String> {
        let bytes = std::fs::read(self.file(name)).unwrap_or_default();
        let texts = bytes.split(|byte| *byte == 0).filter(|text| !text.is_empty());
        texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }
}

fn others() -> Option<impl Iterator<Item = Process>> {
    let entries = std::fs::read_dir("/proc").ok().filter(|_| cfg!(target_os = "linux"))?;
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(ids.filter(|id| *id != std::process::id()).map(Process))
}
