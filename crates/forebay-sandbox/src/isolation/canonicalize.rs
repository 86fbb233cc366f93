//! Resolves symbolic links, with one system call for the common case.

use std::path::{Path, PathBuf};

/// Resolves symbolic links; returns `path` unchanged if it does not exist.
pub(super) fn canonicalize_or_keep(path: &Path) -> PathBuf {
    canonicalize(path).unwrap_or_else(|| path.to_owned())
}

/// Resolves symbolic links; returns `None` if `path` does not exist.
#[cfg(not(target_os = "linux"))]
pub(super) fn canonicalize(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Resolves symbolic links; returns `None` if `path` does not exist.
#[cfg(target_os = "linux")]
pub(super) fn canonicalize(path: &Path) -> Option<PathBuf> {
    match lookup(path) {
        Lookup::NoSymlinks => Some(path.components().collect()),
        Lookup::Missing => None,
        Lookup::Unknown => path.canonicalize().ok(),
    }
}

/// The result of a lookup without following links.
#[cfg(target_os = "linux")]
enum Lookup {
    /// The path exists and contains no symbolic link.
    NoSymlinks,
    Missing,
    Unknown,
}

/// Looks up the whole path with one `openat2`, where `fs::canonicalize` needs a call per component: a sandbox
/// has about eighty paths, half of which do not exist.
#[cfg(target_os = "linux")]
fn lookup(path: &Path) -> Lookup {
    use std::path::Component;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || !path.components().all(is_plain) {
        return Lookup::Unknown;
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(_) => Lookup::NoSymlinks,
        Err(Errno::NOENT) => Lookup::Missing,
        // The path contains a link, or the kernel lacks `openat2`.
        Err(_) => Lookup::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
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
            assert_eq!(canonicalize(&at(path)), at(path).canonicalize().ok(), "{path}");
        }
    }

    #[test]
    fn resolves_relative_paths() {
        for path in [".", "src", "..", "missing", ""] {
            let path = Path::new(path);
            assert_eq!(canonicalize(path), path.canonicalize().ok(), "{path:?}");
        }
    }
}
