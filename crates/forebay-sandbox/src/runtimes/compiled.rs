//! Programs that were compiled before, kept by what they were made of.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Programs that are kept; the least lately made go first.
const MOST_KEPT: usize = 64;

/// A place for one compiled program.
pub(super) struct Slot {
    folder: PathBuf,
    binary: PathBuf,
}

impl Slot {
    /// The place for what `parts` make: the compiler, its words, the text.
    pub(super) fn of<'a>(folder: &Path, parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let name = hasher.finalize().to_hex();
        Self { folder: folder.to_owned(), binary: folder.join(&name.as_str()[..32]) }
    }

    pub(super) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(super) fn is_filled(&self) -> bool {
        self.binary.is_file()
    }

    /// Takes the program that was compiled at `made`, all at once: another run may be doing the same.
    pub(super) fn fill(&self, made: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let coming = self.binary.with_extension(std::process::id().to_string());
        fs::copy(made, &coming)?;
        fs::rename(&coming, &self.binary)?;
        forget_oldest(&self.folder)
    }
}

fn forget_oldest(folder: &Path) -> io::Result<()> {
    let mut kept: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    kept.sort();
    let surplus = kept.len().saturating_sub(MOST_KEPT);
    kept.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_parts_have_the_same_place() {
        let folder = Path::new("/cache");
        let place = |parts: &[&str]| Slot::of(folder, parts.iter().copied()).binary;
        assert_eq!(place(&["cc", "main"]), place(&["cc", "main"]));
        assert_ne!(place(&["cc", "main"]), place(&["ccm", "ain"]));
    }

    #[test]
    fn no_more_than_so_many_are_kept() {
        let root = tempfile::tempdir().unwrap();
        let made = root.path().join("made");
        fs::write(&made, "x").unwrap();
        let cache = root.path().join("cache");
        for number in 0..MOST_KEPT + 3 {
            let slot = Slot::of(&cache, [number.to_string().as_str()]);
            assert!(!slot.is_filled());
            slot.fill(&made).unwrap();
        }
        assert_eq!(fs::read_dir(&cache).unwrap().count(), MOST_KEPT);
    }
}
