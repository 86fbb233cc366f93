//! Which tools are installed, remembered for as long as the folders on PATH stay as they are.
//!
//! Before each run some fifteen tools would be looked for in ten folders, mostly in vain.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use blake3::Hasher;
use tempfile::NamedTempFile;

use crate::search_path::{self, Folder};

/// The file's name in the data folder, which no run may write.
const NAME: &str = "tools";
/// A folder that changed just now may change again without showing it: file systems count time in ticks.
const TICK: Duration = Duration::from_secs(2);

pub(super) struct Installed {
    folders: Vec<Folder>,
    /// What the folders were like.
    state: String,
    /// Whether each tool that was looked for is there.
    known: BTreeMap<String, bool>,
    memory: Option<PathBuf>,
    has_learnt: bool,
}

impl Installed {
    /// What is known of the folders on PATH, kept in `data_folder` from one run to the next.
    pub(super) fn in_folders_on_path(data_folder: Option<&Path>) -> Self {
        Self::within(search_path::folders(), data_folder)
    }

    fn within(folders: Vec<Folder>, data_folder: Option<&Path>) -> Self {
        let state = state_of(&folders);
        let memory = data_folder.map(|folder| folder.join(NAME));
        let known = memory.as_deref().and_then(|file| recall(file, &state)).unwrap_or_default();
        Self { folders, state, known, memory, has_learnt: false }
    }

    pub(super) fn has(&mut self, tool: &str) -> bool {
        if let Some(known) = self.known.get(tool) {
            return *known;
        }
        let is_there = self.folders.iter().any(|folder| folder.path.join(tool).is_file());
        self.known.insert(tool.to_owned(), is_there);
        self.has_learnt = true;
        is_there
    }

    /// Keeps what was found out. It is no fault if that cannot be: the next run looks again.
    pub(super) fn remember(self) {
        if let Some(file) = self.memory.as_deref().filter(|_| self.has_learnt && self.is_settled())
            && let Err(error) = self.write(file)
        {
            tracing::debug!(%error, "which tools are installed could not be kept");
        }
    }

    fn is_settled(&self) -> bool {
        let newest = self.folders.iter().filter_map(|folder| folder.metadata.modified().ok()).max();
        let is_old = |time| SystemTime::now().duration_since(time).is_ok_and(|age| age > TICK);
        newest.is_none_or(is_old)
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(file);
        let mut new = NamedTempFile::new_in(folder)?;
        writeln!(new, "{}", self.state)?;
        for (tool, is_there) in &self.known {
            writeln!(new, "{tool} {is_there}")?;
        }
        new.persist(file)?;
        Ok(())
    }
}

/// A folder's time changes with every name that comes or goes in it.
fn state_of(folders: &[Folder]) -> String {
    let mut state = Hasher::new();
    for Folder { path, metadata } in folders {
        state.update(path.as_os_str().as_encoded_bytes());
        for part in [metadata.dev(), metadata.ino()] {
            state.update(&part.to_le_bytes());
        }
        for part in [metadata.mtime(), metadata.mtime_nsec()] {
            state.update(&part.to_le_bytes());
        }
    }
    state.finalize().to_hex().to_string()
}

/// What was found when the folders were in this state; none where they were in another.
fn recall(file: &Path, state: &str) -> Option<BTreeMap<String, bool>> {
    let text = fs::read_to_string(file).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(state) {
        return None;
    }
    let tool = |line: &str| {
        let (tool, is_there) = line.split_once(' ')?;
        Some((tool.to_owned(), is_there.parse().ok()?))
    };
    lines.map(tool).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    struct Stage {
        data: tempfile::TempDir,
        bin: tempfile::TempDir,
    }

    impl Stage {
        /// A folder with `cargo` in it that has not changed for a while.
        fn new() -> Self {
            let stage =
                Self { data: tempfile::tempdir().unwrap(), bin: tempfile::tempdir().unwrap() };
            stage.install("cargo");
            stage.age(100);
            stage
        }

        fn install(&self, tool: &str) {
            fs::write(self.bin.path().join(tool), "").unwrap();
        }

        fn age(&self, seconds: u64) {
            let then = SystemTime::now() - Duration::from_secs(seconds);
            File::open(self.bin.path()).unwrap().set_modified(then).unwrap();
        }

        fn installed(&self) -> Installed {
            let path = self.bin.path().to_owned();
            let metadata = path.metadata().unwrap();
            Installed::within(vec![Folder { path, metadata }], Some(self.data.path()))
        }

        /// Looks for both, and tells whether anything had to be looked for.
        fn look(&self, expected: [bool; 2]) -> bool {
            let mut installed = self.installed();
            assert_eq!(["cargo", "npm"].map(|tool| installed.has(tool)), expected);
            let has_learnt = installed.has_learnt;
            installed.remember();
            has_learnt
        }
    }

    #[test]
    fn nothing_is_looked_for_twice() {
        let stage = Stage::new();
        assert!(stage.look([true, false]));
        assert!(!stage.look([true, false]));
    }

    #[test]
    fn what_is_installed_later_is_found() {
        let stage = Stage::new();
        stage.look([true, false]);
        stage.install("npm");
        assert!(stage.look([true, true]));
    }

    #[test]
    fn a_folder_that_just_changed_is_looked_at_again() {
        let stage = Stage::new();
        stage.age(0);
        stage.look([true, false]);
        assert!(stage.look([true, false]));
    }

    #[test]
    fn a_damaged_memory_is_made_anew() {
        let stage = Stage::new();
        stage.look([true, false]);
        let file = stage.data.path().join(NAME);
        for damage in [&b""[..], b"\xff\xfe", b"other\ncargo false\n", b"state cargo\n\n\n"] {
            fs::write(&file, damage).unwrap();
            assert!(stage.look([true, false]), "{damage:?}");
        }
        let state = stage.installed().state;
        fs::write(&file, format!("{state}\ncargo perhaps\n")).unwrap();
        assert!(stage.look([true, false]));
    }

    #[test]
    fn without_a_data_folder_it_is_looked_for_each_time() {
        let stage = Stage::new();
        fs::remove_dir_all(stage.data.path()).unwrap();
        assert!(stage.look([true, false]) && stage.look([true, false]));
    }
}
