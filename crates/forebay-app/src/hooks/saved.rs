//! Output that a host found too long, and left in a file of its own.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use forebay_domain::hook::SavedOutput;

/// A longer file is not what a tool printed for a model to read.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// The file, if it can be believed that the host wrote it.
///
/// Any program can print words that look like the host's. So the file must lie in a folder of the host,
/// when links are followed, and be a plain file.
pub(super) fn file(saved: &SavedOutput, folders: &[PathBuf]) -> Option<PathBuf> {
    let real = Path::new(&saved.path).canonicalize().ok()?;
    let metadata = fs::metadata(&real).ok()?;
    let is_hosts = folders.iter().any(|folder| lies_in(&real, folder));
    (is_hosts && metadata.is_file() && metadata.len() <= MOST_BYTES).then_some(real)
}

fn lies_in(path: &Path, folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
}

/// Hands the file's bytes to `take`, piece by piece.
pub(super) fn read(path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?.take(MOST_BYTES);
    let mut piece = vec![0; 256 * 1024];
    loop {
        match file.read(&mut piece)? {
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
    fn only_a_file_in_a_folder_of_the_host_is_believed() {
        let root = tempfile::tempdir().unwrap();
        let [host, other] = ["host", "other"].map(|name| root.path().join(name));
        for folder in [&host, &other] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("out.txt"), "x").unwrap();
        }
        symlink(other.join("out.txt"), host.join("link.txt")).unwrap();
        let found = |path: PathBuf| {
            let path = path.to_string_lossy().into_owned();
            file(&SavedOutput { path, sign: SavedSign::Text }, std::slice::from_ref(&host))
        };
        assert!(found(host.join("out.txt")).is_some());
        assert!(found(other.join("out.txt")).is_none());
        assert!(found(host.join("link.txt")).is_none());
        assert!(found(host.join("../other/out.txt")).is_none());
        assert!(found(host.join("missing.txt")).is_none());
        assert!(found(host.clone()).is_none(), "a folder is no file");
    }
}
