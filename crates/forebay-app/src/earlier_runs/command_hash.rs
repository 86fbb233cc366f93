//! What makes two commands the same: their words, apart from paths and numbers, and their folder in the project.

use std::path::Path;

use forebay_store::CommandHash;

/// Returns the hash of a redacted command line that runs in `folder`, relative to the project.
pub(super) fn command_hash(command: &str, folder: &Path) -> CommandHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(normalized(command).as_bytes());
    hasher.update(&[0]);
    hasher.update(folder.as_os_str().as_encoded_bytes());
    *hasher.finalize().as_bytes()
}

fn normalized(command: &str) -> String {
    let mut words = command.split_whitespace();
    // A program is recognized by its name, wherever it is installed.
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or(program);
    let words = words.map(|word| without_numbers(&without_path(word)));
    std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Replaces a path, or the path after an option: `--out=/tmp/x`.
fn without_path(word: &str) -> String {
    match word.split_once('=') {
        Some((option, value)) if is_path(value) => format!("{option}=/"),
        None if is_path(word) => "/".to_owned(),
        _ => word.to_owned(),
    }
}

fn is_path(word: &str) -> bool {
    word.contains('/') || word.starts_with('~')
}

/// Replaces each number by one digit.
fn without_numbers(word: &str) -> String {
    let mut shape = String::with_capacity(word.len());
    for character in word.chars() {
        let is_digit = character.is_ascii_digit();
        if !(is_digit && shape.ends_with('0')) {
            shape.push(if is_digit { '0' } else { character });
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: (&str, &str), two: (&str, &str), is_same: bool) {
        let hash = |(command, folder): (&str, &str)| command_hash(command, Path::new(folder));
        assert_eq!(hash(one) == hash(two), is_same, "{one:?} {two:?}");
    }

    #[test]
    fn paths_and_numbers_make_no_other_command() {
        for (one, two) in [
            ("pytest tests/a.py", "pytest  tests/b/c.py"),
            ("/usr/bin/make -j4 all", "make -j16 all"),
            ("cargo test --target-dir=/tmp/a", "cargo test --target-dir=target/x"),
            ("git log -n 5", "git log -n 120"),
        ] {
            check((one, ""), (two, ""), true);
        }
    }

    #[test]
    fn words_and_folders_do() {
        check(("cargo test", ""), ("cargo test parser", ""), false);
        check(("cargo test", ""), ("cargo build", ""), false);
        check(("cargo test", "a"), ("cargo test", "b"), false);
        check(("make a1b", ""), ("make a1c", ""), false);
        check(("make ab", ""), ("make a b", ""), false);
    }
}
