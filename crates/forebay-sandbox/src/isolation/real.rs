//! Paths without symbolic links.

use std::path::{Component, Path, PathBuf};

/// `path` without symbolic links; as it stands where it does not exist.
pub(super) fn real(path: &Path) -> PathBuf {
    real_if_there(path).unwrap_or_else(|| path.to_owned())
}

/// `path` without symbolic links; none where it does not exist.
pub(super) fn real_if_there(path: &Path) -> Option<PathBuf> {
    match look(path) {
        Seen::Straight => Some(path.components().collect()),
        Seen::Missing => None,
        Seen::Unclear => path.canonicalize().ok(),
    }
}

/// What one look tells of a path.
enum Seen {
    /// It is there, and no link is on the way.
    Straight,
    Missing,
    Unclear,
}

/// Asks once for the whole path, where the standard library asks for each part of it: a fence is made of some
/// eighty paths, and half of them are not there.
#[cfg(target_os = "linux")]
fn look(path: &Path) -> Seen {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || !path.components().all(is_plain) {
        return Seen::Unclear;
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(_) => Seen::Straight,
        Err(Errno::NOENT) => Seen::Missing,
        // A link is on the way, or the kernel does not know the call.
        Err(_) => Seen::Unclear,
    }
}

#[cfg(not(target_os = "linux"))]
fn look(_: &Path) -> Seen {
    Seen::Unclear
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_is_what_the_standard_library_says() {
        let stage = tempfile::tempdir().unwrap();
        let at = |path: &str| stage.path().join(path);
        fs::create_dir_all(at("folder/inner")).unwrap();
        fs::write(at("folder/file"), "").unwrap();
        symlink(at("folder"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        symlink(at("circle"), at("circle")).unwrap();
        for path in [
            "folder",
            "folder/",
            "folder//inner/.",
            "folder/inner/../file",
            "folder/file",
            "folder/file/beyond",
            "link",
            "link/inner",
            "link/../folder",
            "link/missing",
            "missing",
            "missing/more",
            "dangling",
            "circle",
            "circle/more",
        ] {
            assert_eq!(real_if_there(&at(path)), at(path).canonicalize().ok(), "{path}");
        }
    }

    #[test]
    fn a_path_that_is_not_whole_is_found_from_here() {
        for path in [".", "src", "..", "missing", ""] {
            let path = Path::new(path);
            assert_eq!(real_if_there(path), path.canonicalize().ok(), "{path:?}");
        }
    }
}
