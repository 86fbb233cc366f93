//! Whether settings of git may execute something.
//!
//! Dozens of settings name programs, and each version of git and each extension adds some. So this is a list of those that
//! do not: a file with any other setting, or with a line that is not plainly one setting, may execute something.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

/// Settings that execute nothing, by section, in lowercase: what `git init`, `clone`, `remote` and `submodule` write, and
/// common preferences.
const HARMLESS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "longpaths",
            "quotepath",
            "abbrev",
        ],
    ),
    ("extensions", &["objectformat", "compatobjectformat", "refstorage", "worktreeconfig"]),
    ("user", &["name", "email", "useconfigonly"]),
    ("author", &["name", "email"]),
    ("committer", &["name", "email"]),
    ("remote", &["url", "pushurl", "fetch", "push", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "pushremote", "description", "autosetuprebase"]),
    ("submodule", &["url", "active", "branch", "path", "ignore", "recurse"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote", "followtags"]),
    ("fetch", &["prune", "prunetags"]),
    ("rebase", &["autostash", "autosquash", "updaterefs"]),
    ("merge", &["ff", "conflictstyle"]),
    ("color", &["ui"]),
    ("status", &["showuntrackedfiles"]),
    ("lfs", &["repositoryformatversion"]),
];
/// Where git checks files out to: harmless if it is the worktree itself.
const WORKTREE: (&str, &str) = ("core", "worktree");
/// In an address: a program that git runs to reach it.
const TRANSPORT_HELPER: &str = "::";
pub(super) const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// Whether git may execute something because of a file with settings; `worktree` is the folder that git checks out to.
pub(super) fn may_execute(file: &Path, worktree: Option<&Path>) -> bool {
    let text = read(file, MAX_SETTINGS_BYTES).and_then(|bytes| String::from_utf8(bytes).ok());
    let is_own = |value: &str| {
        let named = file.parent().and_then(|folder| folder.join(value).canonicalize().ok());
        named.is_some() && named == worktree.and_then(|worktree| worktree.canonicalize().ok())
    };
    text.is_none_or(|text| {
        let mut section = String::new();
        !text.lines().all(|line| match Line::parse(line) {
            Some(Line::Blank) => true,
            Some(Line::Section(name)) => {
                section = name;
                true
            }
            Some(Line::Setting(key, value)) if (&*section, &*key) == WORKTREE => is_own(value),
            Some(Line::Setting(key, value)) => is_harmless(&section, &key, value),
            None => false,
        })
    })
}

fn is_harmless(section: &str, key: &str, value: &str) -> bool {
    let keys = HARMLESS.iter().find(|(name, _)| *name == section).map(|(_, keys)| *keys);
    keys.is_some_and(|keys| keys.contains(&key)) && !value.contains(TRANSPORT_HELPER)
}

/// A line as git writes them. Names are in lowercase; git ignores their case.
enum Line<'a> {
    /// Or a comment.
    Blank,
    Section(String),
    Setting(String, &'a str),
}

impl<'a> Line<'a> {
    /// None for what git may read otherwise: several sections in a line, a value that continues.
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim_matches([' ', '\t']);
        if line.is_empty() || line.starts_with(['#', ';']) {
            return Some(Self::Blank);
        }
        if let Some(header) = line.strip_prefix('[') {
            return section(header.strip_suffix(']')?).map(Self::Section);
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim_matches([' ', '\t']), value.trim_matches([' ', '\t']));
        let continues = value.ends_with('\\');
        (is_name(key) && !continues).then(|| Self::Setting(key.to_ascii_lowercase(), value))
    }
}

/// The name of a section, of which `header` may have a subsection in quotes.
fn section(header: &str) -> Option<String> {
    let (name, rest) = header.split_once('"').unwrap_or((header, "\""));
    let name = name.trim_matches([' ', '\t']);
    let subsection = rest.strip_suffix('"')?;
    let is_plain = !subsection.contains(['"', '\\']);
    (is_name(name) && is_plain).then(|| name.to_ascii_lowercase())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
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

/// The git folder of a worktree with this `.git`: itself, or the folder that it names, which may be missing.
pub(super) fn git_folder(dot_git: &Path) -> Option<PathBuf> {
    const MAX_POINTER_BYTES: u64 = 16 * 1024;
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = read(dot_git, MAX_POINTER_BYTES)?;
    let named = dot_git.parent()?.join(path_in(text.strip_prefix(b"gitdir: ")?));
    Some(named.canonicalize().unwrap_or(named))
}

/// The path that a file such as `commondir` names, as git reads it: without the line ends at the end of the file, and up to
/// a NUL.
pub(super) fn path_in(mut text: &[u8]) -> &Path {
    while let Some(rest) = text.strip_suffix(b"\n").or_else(|| text.strip_suffix(b"\r")) {
        text = rest;
    }
    let path = text.split(|byte| *byte == 0).next().unwrap_or_default();
    Path::new(OsStr::from_bytes(path))
}

/// Whether git ignores a file in a folder of hooks, as those that `git init` makes.
pub(super) fn is_sample_hook(file: &Path) -> bool {
    file.as_os_str().as_bytes().ends_with(b".sample")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn settings_that_execute_nothing_are_known() {
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
            ("[user]\r\n\tname = fsmonitor\r\n# [alias]\r\n", false),
            ("[core]\n\tbare\n\trepositoryFormatVersion=0\n", false),
            ("[x] [y \"=\"] [core] fsmonitor = evil", true),
            ("[protocol \"ext\"]\n\tallow = always\n", true),
            ("[remote \"origin\"]\n\turl = ext::sh -c evil\n", true),
            ("[interactive]\n\tdiffFilter = evil\n", true),
            ("[submodule \"x\"]\n\tupdate = !evil\n", true),
            ("[trailer \"x\"]\n\tcmd = evil\n", true),
            ("[user]\n\tname = x \\\n[core]\n\tbare = true\n", true),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(may_execute(&file, Some(dir.path())), expected, "{text}");
        }
        fs::write(&file, "[core]\n\tworktree = .\n").unwrap();
        assert!(may_execute(&file, None));
        assert!(may_execute(&dir.path().join("missing"), None));
    }

    #[test]
    fn paths_are_read_as_git_reads_them() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let dot_git = folder.join(".git");
        for (text, expected) in [
            (&b"gitdir: evil\n"[..], Some(&b"evil"[..])),
            (b"gitdir: evil \r\n\n", Some(b"evil ")),
            (b"gitdir: ev\xffil", Some(b"ev\xffil")),
            (b"gitdir: evil\0 else\n", Some(b"evil")),
            (b"gitdir:evil", None),
        ] {
            fs::write(&dot_git, text).unwrap();
            let expected = expected.map(|name| folder.join(OsStr::from_bytes(name)));
            assert_eq!(git_folder(&dot_git), expected);
        }
        fs::write(&dot_git, format!("gitdir: evil{}", "\n".repeat(20_000))).unwrap();
        assert_eq!(git_folder(&dot_git), None);
    }
}
