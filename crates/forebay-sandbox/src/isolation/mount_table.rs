//! The mounts of this system, as far as isolation needs them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::shortage::unless_shortage;

/// Returns where file systems are mounted that can be written.
pub(super) fn writable_mount_points() -> io::Result<Vec<PathBuf>> {
    let table = unless_shortage(fs::read("/proc/self/mountinfo"))?.unwrap_or_default();
    let mut points: Vec<PathBuf> =
        table.split(|byte| *byte == b'\n').filter_map(writable_mount_point).collect();
    // A mount over another one has the same path, which leads to the upper one.
    points.sort();
    points.dedup();
    Ok(points)
}

/// Parses a line such as `36 35 98:0 /root /mount\040point rw,noatime shared:1 - ext3 /dev/root rw`.
fn writable_mount_point(line: &[u8]) -> Option<PathBuf> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let (point, options) = (fields.next()?, fields.next()?);
    let is_writable = options.split(|byte| *byte == b',').any(|option| option == b"rw");
    // Looking at the mount point of an automounter could mount something.
    let is_automounter = line.windows(10).any(|part| part == b" - autofs ");
    (is_writable && !is_automounter).then(|| OsString::from_vec(unescape(point)).into())
}

/// Replaces `\040`, the kernel's form of a blank, and its kin.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..3).and_then(|digits| str::from_utf8(digits).ok());
        let escaped = code.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        let character = escaped.filter(|_| *byte == b'\\');
        plain.push(character.unwrap_or(*byte));
        rest = if character.is_some() { &after[3..] } else { after };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_only_what_can_be_written() {
        for (line, point) in [
            ("22 27 0:21 / /proc rw,relatime - proc proc rw", Some("/proc")),
            ("28 27 0:25 / /a\\040b\\134c rw shared:1 - tmpfs none rw", Some("/a b\\c")),
            ("28 27 0:25 / /mnt ro,nosuid - tmpfs none rw", None),
            ("28 27 0:25 / /misc rw,nosuid - autofs none rw", None),
            ("28 27", None),
            ("", None),
        ] {
            assert_eq!(writable_mount_point(line.as_bytes()), point.map(PathBuf::from), "{line}");
        }
    }

    #[test]
    fn finds_the_mounts_of_this_system() {
        assert!(writable_mount_points().unwrap().iter().any(|point| point.starts_with("/")));
    }
}
