//! Reads output that the host saved to a file because it was too long.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use forebay_domain::hook::SavedOutput;

/// Longer files are not tool output.
const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;

/// Returns the file, if it is trustworthy that the host wrote it.
///
/// Any program can print text that looks like the host's. So the file must be a regular file inside one of the
/// host's folders, with symlinks resolved.
pub(super) fn trusted_file(saved: &SavedOutput, folders: &[PathBuf]) -> Option<PathBuf> {
    let real = Path::new(&saved.path).canonicalize().ok()?;
    let metadata = fs::metadata(&real).ok()?;
    let is_hosts = folders.iter().any(|folder| is_inside(&real, folder));
    (is_hosts && metadata.is_file() && metadata.len() <= MAX_FILE_BYTES).then_some(real)
}

fn is_inside(path: &Path, folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
}

/// Passes the file's bytes to `take` in pieces.
pub(super) fn read(path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut trusted_file = File::open(path)?.take(MAX_FILE_BYTES);
    let mut piece = vec![0; 256 * 1024];
    loop {
        match trusted_file.read(&mut piece)? {
            0 => return Ok(()),
            count => take(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use forebay_domain::hook::SavedSign;

    use super::*;

    #[test]
    fn trusts_only_files_in_the_hosts_folders() {
        let root = tempfile::tempdir().unwrap();
        let [host, other] = ["host", "other"].map(|name| root.path().join(name));
        for folder in [&host, &other] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("out.txt"), "x").unwrap();
        }
        symlink(other.join("out.txt"), host.join("link.txt")).unwrap();
        let found = |path: PathBuf| {
            let path = path.to_string_lossy().into_owned();
            trusted_file(&SavedOutput { path, sign: SavedSign::Text }, std::slice::from_ref(&host))
        };
        assert!(found(host.join("out.txt")).is_some());
        assert!(found(other.join("out.txt")).is_none());
        assert!(found(host.join("link.txt")).is_none());
        assert!(found(host.join("../other/out.txt")).is_none());
        assert!(found(host.join("missing.txt")).is_none());
        assert!(found(host.clone()).is_none(), "a folder is not a file");
    }
}
