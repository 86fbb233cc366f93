//! The submodules in git's index.
//!
//! `git status` in a project runs git in each of its submodules, which obeys the settings that it finds there. A run
//! makes a submodule by adding a repository of its own to the index, so the index tells which repositories matter.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::file_stamps::{FileState, file_state};
use super::git_settings::{git_folder, is_sample_hook, may_execute, path_in, read};

const MAX_INDEX_BYTES: u64 = 256 * 1024 * 1024;
const MAX_POINTER_BYTES: u64 = 16 * 1024;
const MAX_SUBMODULES: usize = 4096;
const MAX_DEPTH: usize = 8;
/// The settings in a git folder.
const SETTINGS: [&str; 2] = ["config", "config.worktree"];
/// Says where more of them are.
const COMMON: &str = "commondir";
const HOOKS: &str = "hooks";

/// A submodule of a project, or of another submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// `.git` in its worktree: its git folder, a file that names it, or nothing yet.
    pub dot_git: PathBuf,
    pub git_folder: Option<PathBuf>,
}

impl Submodule {
    fn new(worktree: &Path) -> Self {
        let dot_git = worktree.join(".git");
        Self { git_folder: git_folder(&dot_git), dot_git }
    }

    /// Whether git, run in this submodule, may execute something that stands in its git folder.
    pub(super) fn may_execute(&self) -> bool {
        let Some(folders) = self.folders() else { return exists(&self.dot_git) };
        let worktree = self.dot_git.parent();
        folders.iter().any(|folder| {
            let mut settings = SETTINGS.iter().map(|name| folder.join(name));
            settings.any(|file| exists(&file) && may_execute(&file, worktree))
                || has_hooks(&folder.join(HOOKS))
        })
    }

    /// Changes with what may be executed; the time of a change cannot be set back.
    pub(super) fn stamp(&self) -> SettingsStamp {
        let pointer = self.git_folder.as_ref().map(|folder| folder.join(COMMON));
        let mut files: Vec<PathBuf> = pointer.into_iter().collect();
        // A git folder itself changes with every commit.
        files.extend((!self.dot_git.is_dir()).then(|| self.dot_git.clone()));
        for folder in self.folders().unwrap_or_default() {
            files.extend(SETTINGS.iter().map(|name| folder.join(name)));
            let hooks = fs::read_dir(folder.join(HOOKS)).into_iter().flatten().flatten();
            files.push(folder.join(HOOKS));
            files.extend(hooks.map(|entry| entry.path()));
        }
        files.into_iter().map(|file| (file_state(&file), file)).collect()
    }

    /// The folders whose settings and hooks git obeys here. None if git may find others.
    fn folders(&self) -> Option<Vec<PathBuf>> {
        let folder = self.git_folder.clone()?;
        let pointer = folder.join(COMMON);
        let common = match read(&pointer, MAX_POINTER_BYTES) {
            Some(text) => Some(folder.join(path_in(&text))),
            None if exists(&pointer) => return None,
            None => None,
        };
        Some(std::iter::once(folder).chain(common).collect())
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether a folder has hooks that git executes; one that cannot be listed may.
fn has_hooks(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().any(|entry| !is_sample_hook(&entry.path())),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// The submodules of a worktree, and theirs, as its indexes list them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodules {
    worktree: PathBuf,
    git_folder: PathBuf,
    pub all: Vec<Submodule>,
    /// Each index that was read, with its state.
    indexes: Vec<(PathBuf, Option<FileState>)>,
    /// The indexes with more than is read: too large, too many submodules, too deep below others.
    pub(super) incomplete: Vec<PathBuf>,
}

pub(super) type SettingsStamp = Vec<(Option<FileState>, PathBuf)>;

impl Submodules {
    pub fn read(worktree: &Path, git_folder: &Path) -> Self {
        let mut found = Self {
            worktree: worktree.to_owned(),
            git_folder: git_folder.to_owned(),
            all: Vec::new(),
            indexes: Vec::new(),
            incomplete: Vec::new(),
        };
        found.collect(worktree, git_folder, 0);
        found
    }

    /// The submodules as they are now; an index is read again only if one has changed.
    pub(super) fn read_again(&self) -> Self {
        if self.indexes.iter().any(|(index, state)| file_state(index) != *state) {
            return Self::read(&self.worktree, &self.git_folder);
        }
        let worktrees = self.all.iter().filter_map(|submodule| submodule.dot_git.parent());
        Self { all: worktrees.map(Submodule::new).collect(), ..self.clone() }
    }

    fn collect(&mut self, worktree: &Path, git_folder: &Path, depth: usize) {
        let index = git_folder.join("index");
        self.indexes.push((index.clone(), file_state(&index)));
        let paths = linked_paths(git_folder);
        let is_read = depth < MAX_DEPTH || paths.as_ref().is_some_and(Vec::is_empty);
        let Some(paths) = paths.filter(|_| is_read) else { return self.incomplete.push(index) };
        for path in paths {
            let inner = worktree.join(path);
            let submodule = Submodule::new(&inner);
            if self.all.contains(&submodule) {
                continue;
            }
            if self.all.len() == MAX_SUBMODULES {
                return self.incomplete.push(index);
            }
            let folder = submodule.git_folder.clone();
            self.all.push(submodule);
            if let Some(folder) = folder {
                self.collect(&inner, &folder, depth + 1);
            }
        }
    }
}

/// The paths of submodules in the index of a git folder, which may be split over two files. None if one is too large.
fn linked_paths(git_folder: &Path) -> Option<Vec<PathBuf>> {
    let shared = fs::read_dir(git_folder).into_iter().flatten().flatten();
    let shared = shared
        .filter(|entry| entry.file_name().as_bytes().starts_with(b"sharedindex."))
        .map(|entry| entry.path());
    let mut paths = Vec::new();
    for file in std::iter::once(git_folder.join("index")).chain(shared) {
        if file.metadata().is_ok_and(|found| found.len() > MAX_INDEX_BYTES) {
            return None;
        }
        let bytes = read(&file, MAX_INDEX_BYTES).unwrap_or_default();
        paths.extend(HASH_LENGTHS.iter().flat_map(|hash| Entries::new(&bytes, *hash).links()));
    }
    paths.sort();
    paths.dedup();
    Some(paths)
}

/// Bytes of an object's name. Which kind a repository has is in its settings; in the other kind nothing is found.
const HASH_LENGTHS: [usize; 2] = [20, 32];

/// The entries of an index in the versions 2 to 4 (gitformat-index).
struct Entries<'a> {
    bytes: &'a [u8],
    at: usize,
    hash: usize,
    version: u32,
    left: u32,
    name: Vec<u8>,
}

impl<'a> Entries<'a> {
    const HEADER: usize = 12;
    const MODE: usize = 24;
    /// Times, ids, mode and size before the object's name.
    const FIXED: usize = 40;
    const EXTENDED: u16 = 0x4000;
    const LINK: u32 = 0o160_000;

    fn new(bytes: &'a [u8], hash: usize) -> Self {
        let is_index = bytes.starts_with(b"DIRC");
        let number = |at| number(bytes, at).filter(|_| is_index).unwrap_or_default();
        let (version, left) = (number(4), number(8));
        Self { bytes, at: Self::HEADER, hash, version, left, name: Vec::new() }
    }

    /// The paths of submodules up to the first entry that is malformed.
    fn links(mut self) -> Vec<PathBuf> {
        let mut links = Vec::new();
        while self.left > 0 {
            let Some(mode) = self.advance() else { break };
            self.left -= 1;
            if mode == Self::LINK && is_below(&self.name) {
                links.push(PathBuf::from(std::ffi::OsStr::from_bytes(&self.name)));
            }
        }
        links
    }

    /// Reads one entry: its name, and returns its mode.
    fn advance(&mut self) -> Option<u32> {
        let start = self.at;
        let mode = number(self.bytes, start + Self::MODE)?;
        let flags_at = start + Self::FIXED + self.hash;
        let flags = self.bytes.get(flags_at..flags_at + 2)?;
        let is_extended = u16::from_be_bytes([flags[0], flags[1]]) & Self::EXTENDED != 0;
        self.at = flags_at + if is_extended { 4 } else { 2 };
        let kept = if self.version == 4 {
            self.name.len().checked_sub(self.variable_number()?)?
        } else {
            0
        };
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.name.truncate(kept);
        self.name.extend_from_slice(&rest[..length]);
        self.at += length + 1;
        if self.version < 4 {
            // Entries are padded to a multiple of eight bytes.
            self.at = start + (self.at - start).next_multiple_of(8);
        }
        Some(mode)
    }

    /// A number of seven bits a byte, as in offsets of packs.
    fn variable_number(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// Whether a path stays in the worktree.
fn is_below(path: &[u8]) -> bool {
    !path.is_empty()
        && path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 with a file and a submodule, as `git update-index` writes it.
    fn index() -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x02".to_vec();
        for (mode, name) in [(0o100_644_u32, &b"a"[..]), (Entries::LINK, b"libs/sub")] {
            let start = bytes.len();
            bytes.extend([0; Entries::MODE]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 12 + 20]);
            bytes.extend((name.len() as u16).to_be_bytes());
            bytes.extend(name);
            bytes.push(0);
            bytes.resize(start + (bytes.len() - start).next_multiple_of(8), 0);
        }
        bytes
    }

    #[test]
    fn finds_submodules_and_survives_damage() {
        let bytes = index();
        assert_eq!(Entries::new(&bytes, 20).links(), [PathBuf::from("libs/sub")]);
        for end in 0..bytes.len() {
            Entries::new(&bytes[..end], 20).links();
            Entries::new(&bytes[..end], 32).links();
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            Entries::new(&damaged, 20).links();
        }
        assert!(!is_below(b"../x") && !is_below(b"/x") && !is_below(b""));
    }
}
