//! A cache of compiled programs, keyed by a hash of their inputs.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The maximum number of cached programs; the oldest are evicted.
const MAX_CACHED: usize = 64;

/// The cache entry of one compiled program.
pub(super) struct CachedBinary {
    folder: PathBuf,
    binary: PathBuf,
}

impl CachedBinary {
    /// Returns the entry for `inputs`: the compiler, its arguments and the text.
    pub(super) fn for_inputs<'a>(folder: &Path, inputs: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for input in inputs {
            hasher.update(&(input.len() as u64).to_le_bytes()).update(input.as_bytes());
        }
        let name = hasher.finalize().to_hex();
        Self { folder: folder.to_owned(), binary: folder.join(&name.as_str()[..32]) }
    }

    pub(super) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(super) fn exists(&self) -> bool {
        self.binary.is_file()
    }

    /// Stores the program at `compiled` atomically, because another run may store the same one.
    pub(super) fn store(&self, compiled: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let temporary = self.binary.with_extension(std::process::id().to_string());
        fs::copy(compiled, &temporary)?;
        fs::rename(&temporary, &self.binary)?;
        evict_oldest(&self.folder)
    }
}

fn evict_oldest(folder: &Path) -> io::Result<()> {
    let mut entries: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    entries.sort();
    let surplus = entries.len().saturating_sub(MAX_CACHED);
    entries.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_depends_on_each_input() {
        let folder = Path::new("/cache");
        let location =
            |inputs: &[&str]| CachedBinary::for_inputs(folder, inputs.iter().copied()).binary;
        assert_eq!(location(&["cc", "main"]), location(&["cc", "main"]));
        assert_ne!(location(&["cc", "main"]), location(&["ccm", "ain"]));
    }

    #[test]
    fn evicts_the_oldest_programs() {
        let root = tempfile::tempdir().unwrap();
        let compiled = root.path().join("compiled");
        fs::write(&compiled, "x").unwrap();
        let cache = root.path().join("cache");
        for number in 0..MAX_CACHED + 3 {
            let cached = CachedBinary::for_inputs(&cache, [number.to_string().as_str()]);
            assert!(!cached.exists());
            cached.store(&compiled).unwrap();
        }
        assert_eq!(fs::read_dir(&cache).unwrap().count(), MAX_CACHED);
    }
}
