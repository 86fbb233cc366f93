//! Reads output that the host saved to a file because it was too long.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use forebay_domain::hook::SavedOutput;
use forebay_platforms::output_in_file;
use forebay_store::regular_file;

/// Longer files are not tool output.
const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;
/// What a host writes above or below an output is shorter.
const FRAME_BYTES: u64 = 64 * 1024;

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

/// Passes the output in the file to `take` in pieces, without what the host wrote around it.
pub(super) fn read(path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut file = regular_file::open_foreign(path)?;
    let output = output_range(&mut file)?;
    file.seek(SeekFrom::Start(output.start))?;
    let mut trusted_file = file.take((output.end - output.start).min(MAX_FILE_BYTES));
    let mut piece = vec![0; 256 * 1024];
    loop {
        match trusted_file.read(&mut piece)? {
            0 => return Ok(()),
            count => take(&piece[..count]),
        }
    }
}

/// Where the output is in the file.
fn output_range(file: &mut File) -> io::Result<Range<u64>> {
    let bytes = file.metadata()?.len();
    let start = bytes_at(file, 0)?;
    let end = bytes_at(file, bytes.saturating_sub(FRAME_BYTES))?;
    // Only text next to the ends of the file counts, so that bytes that are not UTF-8 move nothing.
    let start = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let last = end.utf8_chunks().last().filter(|chunk| chunk.invalid().is_empty());
    let end = last.map_or("", |chunk| chunk.valid());
    Ok(output_in_file(start, end, bytes))
}

/// The bytes from a position on, as far as a frame may go.
fn bytes_at(file: &mut File, position: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(position))?;
    file.take(FRAME_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use forebay_domain::hook::SavedSign;

    use super::*;

    #[test]
    fn reads_the_output_without_its_frame() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("out.txt");
        let read_back = |content: &[u8]| {
            fs::write(&path, content).unwrap();
            let mut found = Vec::new();
            read(&path, &mut |bytes| found.extend_from_slice(bytes)).unwrap();
            found
        };
        let output = [b"\xff\xfe line\n".repeat(20_000), b"end".to_vec()].concat();
        let above = b"Command: make\nDirectory: (root)\nOutput: ";
        let below = b"\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: (none)";
        assert_eq!(read_back(&[above, &output[..], below].concat()), output);
        assert_eq!(read_back(&output), output);
        assert_eq!(read_back(b""), b"");
    }

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
