//! Whether settings of git name programs.
//!
//! They are searched, not parsed: a setting that only looks like one of these is set aside too.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

/// Parts of sections and keys that name programs or other files with settings, in lowercase.
const EXECUTING: &[&str] = &[
    "fsmonitor",
    "hookspath",
    "sshcommand",
    "gitproxy",
    "askpass",
    "pager",
    "editor",
    "[include",
    "[alias",
    "[filter",
    "[diff",
    "[credential",
    "[merge",
    "[gpg",
    "[mergetool",
    "[difftool",
    "textconv",
    "command",
    "program",
    "vcs",
    "uploadpack",
    "receivepack",
];
/// The folder that git checks files out to.
const WORKTREE: &str = "worktree";
const MAX_BYTES: u64 = 1024 * 1024;

/// Whether a file with settings names a program, or another worktree than `worktree`; one that cannot be read may.
pub(super) fn execute_something(file: &Path, worktree: Option<&Path>) -> bool {
    let text = read(file, MAX_BYTES).and_then(|bytes| String::from_utf8(bytes).ok());
    let is_own = |value: &str| {
        let named = file.parent().and_then(|folder| folder.join(value.trim()).canonicalize().ok());
        worktree.is_some() && named == worktree.and_then(|worktree| worktree.canonicalize().ok())
    };
    text.is_none_or(|text| {
        text.lines().any(|line| {
            let (names, value) = split(line);
            EXECUTING.iter().any(|part| names.contains(part))
                || names.contains(WORKTREE) && !is_own(value)
        })
    })
}

/// The section and key of a line in lowercase, and the value: URLs contain any word.
fn split(line: &str) -> (String, &str) {
    let (section, rest) = match line.trim_start().strip_prefix('[') {
        Some(rest) => section(rest),
        None => (String::new(), line),
    };
    let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
    (format!("{section}{key}").to_ascii_lowercase(), value)
}

/// A section without the name in quotes, which may be a URL too, and the text behind it.
fn section(text: &str) -> (String, &str) {
    let mut name = String::from("[");
    let mut is_quoted = false;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if is_quoted => drop(characters.next()),
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return (name + "]", &text[at + 1..]),
            _ if !is_quoted => name.push(character),
            _ => {}
        }
    }
    (name, "")
}

/// The bytes of a regular file that is no larger than `max`; does not wait for the writer of a FIFO.
pub(super) fn read(path: &Path, max: u64) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty()).ok()?);
    let found = file.metadata().ok()?;
    let is_readable = found.is_file() && found.len() <= max;
    let mut bytes = Vec::new();
    (is_readable && file.take(max).read_to_end(&mut bytes).is_ok()).then_some(bytes)
}

/// The git folder of a worktree with this `.git`: itself, or the folder that it names.
pub(super) fn git_folder(dot_git: &Path) -> Option<PathBuf> {
    const MAX_POINTER_BYTES: u64 = 16 * 1024;
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = String::from_utf8(read(dot_git, MAX_POINTER_BYTES)?).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    dot_git.parent()?.join(named).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn finds_programs_in_keys_and_sections_but_not_in_values() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config");
        for (text, expected) in [
            ("[core]\n\tfsMonitor = evil\n", true),
            ("[core] fsmonitor = evil", true),
            ("[remote \"a=b]\\\"\"] vcs = evil", true),
            ("[Alias \"x\"]\n\tcommand = !evil", true),
            ("[includeIf \"gitdir:x\"]\n\tpath = x", true),
            ("[core]\n\tworktree = /home", true),
            ("[core]\n\tworktree = .\n", false),
            ("[remote \"pager\"]\n\turl = https://host/command/editor\n", false),
            ("[user]\n\tname = fsmonitor\n", false),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(execute_something(&file, Some(dir.path())), expected, "{text}");
        }
        assert!(execute_something(&dir.path().join("missing"), None));
    }
}
