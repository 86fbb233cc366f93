//! Files have a module comment, are short and finished, and contain no path of a developer's machine.

use std::path::Path;

use anyhow::Result;
use regex::Regex;

use super::{Codebase, Rule};
use crate::workspace::{self, Source};

pub(super) const MODULE_DOC: Rule = Rule {
    name: "every Rust file starts with `//!`",
    reason: "A reader learns what a file is for before how it works.",
    check: |codebase| Ok(codebase.rust_sources().filter_map(without_module_doc).collect()),
};

pub(super) const MAX_LENGTH: Rule = Rule {
    name: "no Rust file outside of tests has more than 500 lines",
    reason: "A longer file is a registry, a schema or a hub that should be several files.",
    check: |codebase| Ok(codebase.rust_sources().filter_map(too_long).collect()),
};

pub(super) const NO_TODO: Rule = Rule {
    name: "no file contains a to-do mark",
    reason: "Missing work belongs in an issue.",
    check: |codebase| {
        let marks = Regex::new(MARKS)?;
        Ok(authored(codebase).flat_map(|source| matches(source, &marks)).collect())
    },
};

pub(super) const NO_MACHINE_PATH: Rule = Rule {
    name: "no path of a developer's machine",
    reason: "The path works nowhere else, and reveals its owner.",
    check: |codebase| {
        let paths = machine_paths(workspace::root())?;
        Ok(authored(codebase).flat_map(|source| matches(source, &paths)).collect())
    },
};

const MAX_LINES: usize = 500;
/// Spelled so that this file does not match itself.
const MARKS: &str = r"\b(TO[D]O|FIX[M]E|XX[X])\b|not yet implemente[d]|\b(unimplemented|todo)[!]";
/// Home folders; placeholder names may be used in samples.
const HOMES: &str = r"/(?:home|Users)/(?:[A-Za-z][\w.-]*)";
const PLACEHOLDERS: &[&str] = &["user", "me", "you", "someone", "alice", "bob", "ci", "runner"];

fn without_module_doc(source: &Source) -> Option<String> {
    let has_doc = source.text.starts_with("//! ");
    (!has_doc).then(|| format!("{} has no `//!` in its first line", source.path))
}

fn too_long(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    (lines > MAX_LINES && !source.is_test()).then(|| format!("{} has {lines} lines", source.path))
}

/// Returns the files that people write, without recorded output and lock files.
fn authored(codebase: &Codebase) -> impl Iterator<Item = &Source> {
    const EXTENSIONS: &[&str] = &["rs", "toml", "sql", "scm", "sh", "md", "yml", "yaml"];
    let is_authored = |source: &&Source| {
        let extension = Path::new(&source.path).extension().and_then(|name| name.to_str());
        source.path.starts_with(".ci/")
            || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
    };
    codebase.sources.iter().filter(is_authored)
}

fn matches(source: &Source, pattern: &Regex) -> Vec<String> {
    let find = |(index, line): (usize, &str)| {
        let found = pattern.find_iter(line).map(|found| found.as_str());
        let found = found.into_iter().find(|found| !is_placeholder(found))?;
        Some(format!("{}:{}: {found}", source.path, index + 1))
    };
    source.text.lines().enumerate().filter_map(find).collect()
}

/// Returns whether a path is a placeholder's home folder.
fn is_placeholder(path: &str) -> bool {
    let home = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"));
    home.is_some_and(|name| PLACEHOLDERS.contains(&name))
}

/// Builds a pattern for home folders and for the path of this checkout.
fn machine_paths(root: &Path) -> Result<Regex> {
    let root = root.to_string_lossy();
    // The path of a checkout directly below `/` is too short to be specific.
    let own = if root.matches('/').count() > 1 { regex::escape(&root) } else { HOMES.to_owned() };
    Ok(Regex::new(&format!("{HOMES}|{own}"))?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_file_without_module_doc() {
        let codebase = Codebase::with_files(&[
            ("crates/a/src/lib.rs", "//! Says it.\n"),
            ("crates/a/src/b.rs", "use std::fs;\n"),
            ("README.md", "# not Rust\n"),
        ]);
        assert_finds(&MODULE_DOC, &codebase, &["crates/a/src/b.rs has no `//!` in its first line"]);
    }

    #[test]
    fn finds_long_files_except_tests() {
        let long = "//! Long.\n".repeat(501);
        let just = "//! Long.\n".repeat(500);
        let codebase = Codebase::with_files(&[
            ("crates/a/src/long.rs", &long),
            ("crates/a/src/just.rs", &just),
            ("crates/a/tests/it/long.rs", &long),
            ("crates/a/src/tests.rs", &long),
        ]);
        assert_finds(&MAX_LENGTH, &codebase, &["crates/a/src/long.rs has 501 lines"]);
    }

    #[test]
    fn finds_every_to_do_mark() {
        for mark in [
            concat!("TO", "DO"),
            concat!("FIX", "ME:"),
            concat!("XX", "X"),
            concat!("todo", "!()"),
            concat!("unimplemented", "!()"),
            concat!("not yet ", "implemented"),
        ] {
            let codebase = Codebase::with_files(&[("a.rs", &format!("fine\nlater // {mark}\n"))]);
            let found = (NO_TODO.check)(&codebase).unwrap();
            assert!(found.len() == 1 && found[0].starts_with("a.rs:2: "), "{mark}: {found:?}");
        }
    }

    #[test]
    fn note_kind_is_not_a_mark() {
        let codebase = Codebase::with_files(&[("a.rs", "NoteKind::Todo => \"todo\", // XXXL\n")]);
        assert_finds(&NO_TODO, &codebase, &[]);
    }

    #[test]
    fn finds_paths_of_a_machine() {
        let own = workspace::root().join("crates").display().to_string();
        let home = concat!("/ho", "me/jdoe");
        let text = format!("at {home}/src\n/home/user/src is a placeholder\n");
        let codebase =
            Codebase::with_files(&[("a.md", &text), ("log.snap", home), ("b.toml", &own)]);
        let found = (NO_MACHINE_PATH.check)(&codebase).unwrap();
        assert_eq!(found[0], format!("a.md:1: {home}"));
        assert_eq!(found.len(), if own.matches('/').count() > 2 { 2 } else { 1 }, "{found:?}");
    }
}
