//! Everything below a folder, to compare what it was with what it is: bytes, modes and links.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Result;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Item>);

#[derive(Debug, PartialEq, Eq)]
enum Item {
    Folder { mode: u32 },
    File { mode: u32, bytes: Vec<u8> },
    Link(PathBuf),
}

impl Snapshot {
    pub(crate) fn take(root: &Path) -> Result<Self> {
        let mut items = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let found = fs::symlink_metadata(&path)?;
                let item = if found.is_symlink() {
                    Item::Link(fs::read_link(&path)?)
                } else if found.is_dir() {
                    folders.push(path.clone());
                    Item::Folder { mode: found.mode() }
                } else {
                    Item::File { mode: found.mode(), bytes: fs::read(&path)? }
                };
                items.insert(path, item);
            }
        }
        Ok(Self(items))
    }

    /// The paths that are only in one of the two, or differ.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let mut paths: Vec<&PathBuf> = self.0.keys().chain(other.0.keys()).collect();
        paths.sort();
        paths.dedup();
        paths.retain(|path| self.0.get(*path) != other.0.get(*path));
        paths.iter().map(|path| path.display().to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn sees_bytes_modes_links_and_empty_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("same"), "a").unwrap();
        fs::write(at("bytes"), "a").unwrap();
        fs::write(at("mode"), "a").unwrap();
        symlink("a", at("link")).unwrap();
        let before = Snapshot::take(folder.path()).unwrap();
        assert_eq!(before.differences(&Snapshot::take(folder.path()).unwrap()), [] as [String; 0]);

        fs::write(at("bytes"), "b").unwrap();
        fs::set_permissions(at("mode"), fs::Permissions::from_mode(0o600)).unwrap();
        fs::remove_file(at("link")).unwrap();
        symlink("b", at("link")).unwrap();
        fs::create_dir(at("empty")).unwrap();
        let expected =
            ["bytes", "empty", "link", "mode"].map(|name| at(name).display().to_string());
        assert_eq!(before.differences(&Snapshot::take(folder.path()).unwrap()), expected);
    }
}
