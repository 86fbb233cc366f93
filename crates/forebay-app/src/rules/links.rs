//! Where a path leads once symlinks are followed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Follows links as far as the path exists; `None` where it leads to itself.
pub(super) fn follow(path: &str) -> Option<String> {
    let real = real_path(Path::new(path))?;
    let real = real.to_string_lossy().into_owned();
    (real != path.trim_end_matches('/')).then_some(real)
}

/// The real path of what exists, and the rest as it is: a file may be about to be made.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path.to_owned();
    loop {
        if let Ok(real) = existing.canonicalize() {
            // A link counts among them without a name, which would leave a slash at the end.
            let names = missing.iter().rev().filter(|name| !name.is_empty());
            return Some(names.fold(real, |path, name| path.join(name)));
        }
        // A dangling link leads to where its target would be.
        if let Ok(target) = existing.read_link() {
            existing = existing.parent()?.join(target);
            if missing.len() > 64 {
                return None;
            }
            missing.push(OsString::new());
            continue;
        }
        missing.push(existing.file_name()?.to_owned());
        existing = existing.parent()?.to_owned();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::follow;

    #[test]
    fn follows_links_also_for_files_that_are_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/a"), "").unwrap();
        symlink(root.join("real"), root.join("link")).unwrap();
        symlink("nowhere/x", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let at = |name: &str| root.join(name).to_string_lossy().into_owned();
        assert_eq!(follow(&at("link/a")), Some(at("real/a")));
        assert_eq!(follow(&at("link/new")), Some(at("real/new")));
        assert_eq!(follow(&at("real/a")), None);
        assert_eq!(follow(&at("dangling")), Some(at("nowhere/x")));
        assert_eq!(follow(&at("loop")), None);
        assert_eq!(follow(&at("link/../real/a")), Some(at("real/a")));
    }
}
