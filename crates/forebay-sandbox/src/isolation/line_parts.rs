//! Finds paths and host names in a line of output.

use std::path::{Component, Path, PathBuf};

use super::denials::{UserPermissions, contains_any};

/// Returns the paths in a line: absolute ones, and relative ones with a slash or in quotes.
///
/// Text that only looks like a path (`and/or`, `'admin'`) is not one: its directory must exist, and a bare name
/// must exist itself or stand in a message about files.
pub(super) fn paths<'a>(
    line: &'a str,
    lowercase: &'a str,
    cwd: &'a Path,
    user: &'a dyn UserPermissions,
) -> impl Iterator<Item = PathBuf> + 'a {
    let is_path = |text: &&str| text.contains('/') && !text.contains("://");
    let words = words(line).filter(is_path);
    let names = quoted(line).filter(move |text| {
        text.contains('/') || contains_any(lowercase, FILE_PHRASES) || user.exists(&cwd.join(text))
    });
    let paths = names.chain(words).map(|text| normalize(&cwd.join(text)));
    paths
        .filter(|path| user.exists(path) || path.parent().is_some_and(|parent| user.exists(parent)))
}

pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\'', '"', '`', '‘', '’', '(', ')', ',', ';', '='])
        .map(|word| word.trim_end_matches([':', '.']))
}

/// Words of messages whose quoted text is a file.
const FILE_PHRASES: &[&str] =
    &["cannot ", "can't ", "open", "errno", "mkdir", "unlink", "rename", "create", "write to"];

/// Texts in quotes. An apostrophe inside a word opens none.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    let mut before = ' ';
    std::iter::from_fn(move || {
        while let Some(open) = rest.chars().next() {
            let after = &rest[open.len_utf8()..];
            let closing = match open {
                '‘' => '’',
                '\'' | '"' | '`' => open,
                _ => '\0',
            };
            let end = after.find(closing).filter(|_| closing != '\0' && !before.is_alphanumeric());
            before = open;
            rest = after;
            if let Some(end) = end.filter(|end| *end > 0) {
                rest = &after[end + closing.len_utf8()..];
                before = closing;
                return Some(&after[..end]);
            }
        }
        None
    })
}

/// Turns `/a/b/../c` into `/a/c`, so that dots cannot disguise a path.
fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the first word that looks like a host name.
pub(super) fn find_host(line: &str) -> Option<&str> {
    line.split([' ', '\'', '"', '(', ')', ',', '/'])
        .map(|word| word.trim_matches([':', '.']))
        .map(|word| word.split(':').next().unwrap_or(word))
        .find(|word| is_host_name(word))
}

fn is_host_name(word: &str) -> bool {
    let labels = word.split('.');
    labels.clone().count() > 1
        && labels.into_iter().all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        })
}
