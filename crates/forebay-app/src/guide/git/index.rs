//! Parser of git's index: tracked files with their size, mtime and hash.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha1::{Digest as _, Sha1};

/// A larger index takes longer to parse than a hook may take.
const MAX_INDEX_BYTES: u64 = 4 * 1024 * 1024;
/// A larger file with a new mtime counts as changed without hashing it.
const MAX_HASHED_BYTES: u64 = 1024 * 1024;

pub(super) struct Index {
    pub(super) files: Vec<Tracked>,
}

/// A tracked file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tracked {
    pub(super) path: String,
    modified: (u32, u32),
    bytes: u32,
    hash: [u8; 20],
}

impl Tracked {
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether the file differs from the index; a new mtime alone is not a change.
    pub(super) fn differs(&self, path: &Path, metadata: &Metadata) -> bool {
        if metadata.len() as u32 != self.bytes {
            return true;
        }
        let (seconds, nanos) = self.modified;
        let is_same_time = metadata.mtime() as u32 == seconds
            && (nanos == 0 || metadata.mtime_nsec() as u32 == nanos);
        !is_same_time && !self.has_content_of(path, metadata)
    }

    fn has_content_of(&self, path: &Path, metadata: &Metadata) -> bool {
        if metadata.len() > MAX_HASHED_BYTES || !metadata.is_file() {
            return false;
        }
        fs::read(path).is_ok_and(|content| blob_hash(&content) == self.hash)
    }
}

/// Returns the object id of a blob.
fn blob_hash(content: &[u8]) -> [u8; 20] {
    let hash = Sha1::new().chain_update(format!("blob {}\0", content.len())).chain_update(content);
    hash.finalize().into()
}

impl Index {
    /// Reads an index of any version; `None` if it is too large or invalid.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = fs::metadata(path).ok()?.len();
        if bytes > MAX_INDEX_BYTES {
            return None;
        }
        parse(&fs::read(path).ok()?)
    }
}

fn parse(bytes: &[u8]) -> Option<Index> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != b"DIRC" {
        return None;
    }
    let version = reader.number()?;
    let count = reader.number()? as usize;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut files: Vec<Tracked> = Vec::new();
    let mut last_path = Vec::new();
    for _ in 0..count.min(bytes.len() / 62) {
        let (file, is_checked) = reader.entry(version, &mut last_path)?;
        files.extend(is_checked.then_some(file));
    }
    Some(Index { files })
}

// Flags of an entry.
const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000;
const STAGE: u16 = 0x3000;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Parses an entry; the flag is false for entries that git does not compare with the working tree.
    fn entry(&mut self, version: u32, last_path: &mut Vec<u8>) -> Option<(Tracked, bool)> {
        let start = self.at;
        self.take(8)?;
        let modified = (self.number()?, self.number()?);
        self.take(8)?;
        let mode = self.number()?;
        self.take(8)?;
        let bytes = self.number()?;
        let hash: [u8; 20] = self.take(20)?.try_into().ok()?;
        let flags = self.short()?;
        let extended = if flags & EXTENDED != 0 { self.short()? } else { 0 };
        let path = self.path(version, start, last_path)?;
        let is_file = mode & 0o170_000 == 0o100_000;
        let is_checked = flags & (ASSUME_VALID | STAGE) == 0 && extended & SKIP_WORKTREE == 0;
        Some((Tracked { path, modified, bytes, hash }, is_file && is_checked))
    }

    fn path(&mut self, version: u32, start: usize, last: &mut Vec<u8>) -> Option<String> {
        if version == 4 {
            let dropped = self.varint()?;
            last.truncate(last.len().checked_sub(dropped)?);
        } else {
            last.clear();
        }
        let rest = self.bytes.get(self.at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        last.extend_from_slice(&rest[..end]);
        self.at += end + 1;
        if version != 4 {
            // Padded with 1 to 8 zeros to a multiple of eight bytes.
            self.at = start + (self.at - start).div_ceil(8) * 8;
        }
        Some(String::from_utf8_lossy(last).into_owned())
    }

    /// Parses a variable-width integer in git's offset encoding.
    fn varint(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Builds a version 2 index of files with these names and the same content.
    fn index(names: &[&str], content: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(2_u32.to_be_bytes());
        bytes.extend((names.len() as u32).to_be_bytes());
        for name in names {
            let start = bytes.len();
            for number in [0, 0, 7, 8, 0, 0, 0o100_644, 0, 0, content.len() as u32] {
                bytes.extend(u32::to_be_bytes(number));
            }
            bytes.extend(blob_hash(content));
            bytes.extend((name.len() as u16).to_be_bytes());
            bytes.extend(name.as_bytes());
            bytes.push(0);
            while !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes
    }

    #[test]
    fn hashes_blobs_like_git() {
        let hex =
            |hash: [u8; 20]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(blob_hash(b"")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(hex(blob_hash(b"hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn a_new_mtime_alone_is_not_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let files = parse(&index(&["a.txt", "dir/bb.txt"], b"same")).unwrap().files;
        assert_eq!(files.iter().map(Tracked::path).collect::<Vec<_>>(), ["a.txt", "dir/bb.txt"]);
        for (content, expect) in [("same", false), ("emas", true), ("longer", true)] {
            fs::write(&path, content).unwrap();
            let metadata = fs::metadata(&path).unwrap();
            assert_eq!(files[0].differs(&path, &metadata), expect, "{content}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(version in 2_u8..5, rest in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut bytes = b"DIRC\0\0\0".to_vec();
            bytes.push(version);
            bytes.extend(rest);
            let _ = parse(&bytes);
        }
    }
}
