//! Which tools are installed, cached on disk until a directory of `PATH` changes.
//!
//! Without the cache, each run would search about fifteen tools in ten directories, mostly in vain.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use blake3::Hasher;
use tempfile::NamedTempFile;

use crate::search_path::{self, PathFolder};

/// The name of the cache file in the data directory, which no run can write.
const CACHE_FILE: &str = "tools";
/// A directory may change twice within the resolution of its mtime, so a recent change is not cached.
const MTIME_GRANULARITY: Duration = Duration::from_secs(2);

/// The tools on `PATH`.
pub(super) struct InstalledTools {
    folders: Vec<PathFolder>,
    /// Changes with any of the directories.
    fingerprint: String,
    /// Whether each tool that was searched is installed.
    known: BTreeMap<String, bool>,
    cache_file: Option<PathBuf>,
    is_dirty: bool,
}

impl InstalledTools {
    /// Loads the cache in `data_folder` if it matches the current directories of `PATH`.
    pub(super) fn load(data_folder: Option<&Path>) -> Self {
        Self::for_folders(search_path::folders(), data_folder)
    }

    fn for_folders(folders: Vec<PathFolder>, data_folder: Option<&Path>) -> Self {
        let fingerprint = fingerprint(&folders);
        let cache_file = data_folder.map(|folder| folder.join(CACHE_FILE));
        let known = cache_file
            .as_deref()
            .and_then(|file| read_cache(file, &fingerprint))
            .unwrap_or_default();
        Self { folders, fingerprint, known, cache_file, is_dirty: false }
    }

    pub(super) fn has(&mut self, tool: &str) -> bool {
        if let Some(known) = self.known.get(tool) {
            return *known;
        }
        let is_installed = self.folders.iter().any(|folder| folder.path.join(tool).is_file());
        self.known.insert(tool.to_owned(), is_installed);
        self.is_dirty = true;
        is_installed
    }

    /// Saves new results. A failure is only logged: the next run searches again.
    pub(super) fn save(self) {
        if let Some(file) =
            self.cache_file.as_deref().filter(|_| self.is_dirty && self.is_cacheable())
            && let Err(error) = self.write(file)
        {
            tracing::debug!(%error, "cannot save the cache of installed tools");
        }
    }

    fn is_cacheable(&self) -> bool {
        let newest = self.folders.iter().filter_map(|folder| folder.metadata.modified().ok()).max();
        let is_old =
            |time| SystemTime::now().duration_since(time).is_ok_and(|age| age > MTIME_GRANULARITY);
        newest.is_none_or(is_old)
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(file);
        let mut new = NamedTempFile::new_in(folder)?;
        writeln!(new, "{}", self.fingerprint)?;
        for (tool, is_installed) in &self.known {
            writeln!(new, "{tool} {is_installed}")?;
        }
        new.persist(file)?;
        Ok(())
    }
}

/// Hashes the directories with their mtimes, which change with every file that is added or removed.
fn fingerprint(folders: &[PathFolder]) -> String {
    let mut hasher = Hasher::new();
    for PathFolder { path, metadata } in folders {
        hasher.update(path.as_os_str().as_encoded_bytes());
        for part in [metadata.dev(), metadata.ino()] {
            hasher.update(&part.to_le_bytes());
        }
        for part in [metadata.mtime(), metadata.mtime_nsec()] {
            hasher.update(&part.to_le_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Reads the cache; returns `None` if it is malformed or has another fingerprint.
fn read_cache(file: &Path, fingerprint: &str) -> Option<BTreeMap<String, bool>> {
    let text = fs::read_to_string(file).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(fingerprint) {
        return None;
    }
    let tool = |line: &str| {
        let (tool, is_installed) = line.split_once(' ')?;
        Some((tool.to_owned(), is_installed.parse().ok()?))
    };
    lines.map(tool).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    struct Fixture {
        data: tempfile::TempDir,
        bin: tempfile::TempDir,
    }

    impl Fixture {
        /// A directory that contains `cargo` and has not changed recently.
        fn new() -> Self {
            let fixture =
                Self { data: tempfile::tempdir().unwrap(), bin: tempfile::tempdir().unwrap() };
            fixture.install("cargo");
            fixture.age(100);
            fixture
        }

        fn install(&self, tool: &str) {
            fs::write(self.bin.path().join(tool), "").unwrap();
        }

        fn age(&self, seconds: u64) {
            let then = SystemTime::now() - Duration::from_secs(seconds);
            File::open(self.bin.path()).unwrap().set_modified(then).unwrap();
        }

        fn installed(&self) -> InstalledTools {
            let path = self.bin.path().to_owned();
            let metadata = path.metadata().unwrap();
            InstalledTools::for_folders(vec![PathFolder { path, metadata }], Some(self.data.path()))
        }

        /// Searches both tools and returns whether a search was needed.
        fn search(&self, expected: [bool; 2]) -> bool {
            let mut installed = self.installed();
            assert_eq!(["cargo", "npm"].map(|tool| installed.has(tool)), expected);
            let is_dirty = installed.is_dirty;
            installed.save();
            is_dirty
        }
    }

    #[test]
    fn caches_search_results() {
        let fixture = Fixture::new();
        assert!(fixture.search([true, false]));
        assert!(!fixture.search([true, false]));
    }

    #[test]
    fn finds_tools_installed_later() {
        let fixture = Fixture::new();
        fixture.search([true, false]);
        fixture.install("npm");
        assert!(fixture.search([true, true]));
    }

    #[test]
    fn does_not_cache_a_recently_changed_directory() {
        let fixture = Fixture::new();
        fixture.age(0);
        fixture.search([true, false]);
        assert!(fixture.search([true, false]));
    }

    #[test]
    fn rebuilds_a_damaged_cache() {
        let fixture = Fixture::new();
        fixture.search([true, false]);
        let file = fixture.data.path().join(CACHE_FILE);
        for damage in [&b""[..], b"\xff\xfe", b"other\ncargo false\n", b"fingerprint cargo\n\n\n"] {
            fs::write(&file, damage).unwrap();
            assert!(fixture.search([true, false]), "{damage:?}");
        }
        let fingerprint = fixture.installed().fingerprint;
        fs::write(&file, format!("{fingerprint}\ncargo perhaps\n")).unwrap();
        assert!(fixture.search([true, false]));
    }

    #[test]
    fn searches_each_time_without_a_data_folder() {
        let fixture = Fixture::new();
        fs::remove_dir_all(fixture.data.path()).unwrap();
        assert!(fixture.search([true, false]) && fixture.search([true, false]));
    }
}
