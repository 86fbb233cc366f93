//! The sockets of other processes that a run cannot connect to.
//!
//! A socket with a path leads to a process outside of isolation: a tmux server types into the user's terminals, Docker
//! starts containers as root. Landlock does not restrict such connections (before Linux 7.1), so `mounts` covers the
//! sockets that exist when the run starts. Sockets in the project, sockets that the run makes itself, and those of the
//! tools that the command names stay reachable.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::access::is_within;
use super::canonicalize::canonicalize;
use super::known_paths::{SOCKET_FOLDERS, SYSTEM_SOCKETS, TOOL_SOCKETS};
use super::shortage::{entries, unless_shortage};
use super::{Isolation, Profile};

/// The sockets of this network namespace.
const SOCKET_TABLE: &str = "/proc/net/unix";
/// The columns before the path.
const COLUMNS: usize = 7;

/// Returns the sockets, and directories of sockets, that are closed to a run. Without network there is nothing to
/// close: `seccomp` denies all sockets.
pub(super) fn closed(isolation: &Isolation) -> io::Result<Vec<PathBuf>> {
    if isolation.profile != Profile::Project || !cfg!(target_os = "linux") {
        return Ok(Vec::new());
    }
    let open = open(isolation);
    let known = SOCKET_FOLDERS.iter().map(|known| known.path);
    let known = known.chain(TOOL_SOCKETS.iter().map(|known| known.path));
    let mut closed = Vec::new();
    for path in known.filter_map(|path| resolve(path, isolation)) {
        close_except(&path, &open, &mut closed)?;
    }
    for path in bound_sockets()?.iter().filter_map(|path| canonicalize(path)) {
        if is_socket(&path) && !is_within(&path, &open) && !is_within(&path, &closed) {
            closed.push(path);
        }
    }
    Ok(closed)
}

/// What stays reachable.
fn open(isolation: &Isolation) -> Vec<PathBuf> {
    let is_named = |programs: &[&str]| programs.iter().any(|program| isolation.names(program));
    let owned = TOOL_SOCKETS.iter().filter(|known| is_named(known.programs));
    let known = owned.map(|known| known.path).chain(SYSTEM_SOCKETS.iter().map(|known| known.path));
    let given =
        isolation.project_root.iter().chain(&isolation.git_folder).chain(&isolation.sockets);
    let given = given.filter_map(|path| canonicalize(path));
    known.filter_map(|path| resolve(path, isolation)).chain(given).collect()
}

/// Closes `path`, or the parts of it that contain nothing open.
fn close_except(path: &Path, open: &[PathBuf], closed: &mut Vec<PathBuf>) -> io::Result<()> {
    if is_within(path, open) || is_within(path, closed) {
        return Ok(());
    }
    if !open.iter().any(|open| open.starts_with(path)) {
        closed.push(path.to_owned());
        return Ok(());
    }
    entries(path)?.iter().try_for_each(|entry| close_except(&entry.path(), open, closed))
}

/// Resolves an entry of the tables; `None` if it does not exist.
fn resolve(path: &str, isolation: &Isolation) -> Option<PathBuf> {
    let path = path.replace("$UID", &geteuid().as_raw().to_string());
    let (start, rest) = path.split_once('/').unwrap_or((&path, ""));
    let base = match start.strip_prefix('$') {
        Some(variable) => without_scheme(env::var_os(variable)?),
        None if start.is_empty() => return canonicalize(Path::new(&path)),
        None => isolation.home.as_ref()?.join(start),
    };
    // Joining an empty path would add a slash.
    let path = if rest.is_empty() { base } else { base.join(rest) };
    canonicalize(&path).filter(|path| path.parent().is_some())
}

/// Some variables contain a URL: `unix:///run/docker.sock`.
fn without_scheme(value: OsString) -> PathBuf {
    let path = value.as_bytes().strip_prefix(b"unix://").map(OsStr::from_bytes);
    path.map_or_else(|| PathBuf::from(&value), PathBuf::from)
}

fn bound_sockets() -> io::Result<Vec<PathBuf>> {
    let table = unless_shortage(fs::read(SOCKET_TABLE))?.unwrap_or_default();
    let mut paths: Vec<PathBuf> = table.split(|byte| *byte == b'\n').filter_map(path_in).collect();
    // Each connection of a server has a line.
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Parses a line such as `000000: 00000002 00000000 00010000 0001 01 64533 /run/x.sock`. Abstract names start with `@`.
fn path_in(line: &[u8]) -> Option<PathBuf> {
    let mut rest = line;
    for _ in 0..COLUMNS {
        rest = rest.trim_ascii_start();
        rest = &rest[rest.iter().position(u8::is_ascii_whitespace)?..];
    }
    let path = rest.strip_prefix(b" ")?;
    path.starts_with(b"/").then(|| OsString::from_vec(path.to_vec()).into())
}

fn is_socket(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_in_the_socket_table() {
        for (line, path) in [
            ("00000000561ae3db: 00000002 00000000 00010000 0001 01 64533 /a b/c", Some("/a b/c")),
            ("00000000561ae3db: 00000002 00000000 00010000 0001 01   533 /a", Some("/a")),
            ("00000000561ae3db: 00000003 00000000 00000000 0001 03 64533 @/tmp/.X11-unix/X0", None),
            ("00000000561ae3db: 00000003 00000000 00000000 0001 03 64533 relative", None),
            ("000000000f4da423: 00000003 00000000 00000000 0001 03  1599", None),
            ("Num       RefCount Protocol Flags    Type St Inode Path", None),
            ("", None),
        ] {
            assert_eq!(path_in(line.as_bytes()), path.map(PathBuf::from), "{line}");
        }
    }

    #[test]
    fn closes_everything_around_what_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["keyring", "systemd", "gnupg"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        fs::write(root.join("keyring/ssh"), "").unwrap();
        fs::write(root.join("keyring/control"), "").unwrap();
        let close = |open: &[PathBuf]| {
            let mut closed = Vec::new();
            close_except(&root, open, &mut closed).unwrap();
            closed.sort();
            closed
        };
        assert_eq!(close(&[]), std::slice::from_ref(&root));
        let around = ["gnupg", "keyring/control", "systemd"].map(|name| root.join(name));
        assert_eq!(close(&[root.join("keyring/ssh")]), around);
        assert_eq!(close(std::slice::from_ref(&root)), <[PathBuf; 0]>::default());
    }
}
