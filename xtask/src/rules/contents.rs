//! What stands in a file: it says what it is, is short, finished, and of no machine.

use std::path::Path;

use anyhow::Result;
use regex::Regex;

use super::{Code, Rule};
use crate::workspace::{self, Source};

pub(super) const OPENS_WITH_WHAT_IT_IS: Rule = Rule {
    name: "every Rust file opens with `//!`",
    why: "A reader learns what a file is for before how it works.",
    check: |code| Ok(code.rust_sources().filter_map(without_opening).collect()),
};

pub(super) const SHORT: Rule = Rule {
    name: "no Rust file has more than 500 lines, tests apart",
    why: "A longer file is a registry, a schema or a centre that should be several files.",
    check: |code| Ok(code.rust_sources().filter_map(too_long).collect()),
};

pub(super) const FINISHED: Rule = Rule {
    name: "nothing is marked as left to do",
    why: "What is missing belongs in an issue; a mark in the code is read by nobody.",
    check: |code| {
        let marks = Regex::new(MARKS)?;
        Ok(written(code).flat_map(|source| matches(source, &marks)).collect())
    },
};

pub(super) const FREE_OF_MACHINES: Rule = Rule {
    name: "no path of a developer's machine",
    why: "It works nowhere else, and tells whose machine it was.",
    check: |code| {
        let paths = machine_paths(workspace::root())?;
        Ok(written(code).flat_map(|source| matches(source, &paths)).collect())
    },
};

const MOST_LINES: usize = 500;
/// Written so that this file is not a match of its own.
const MARKS: &str = r"\b(TO[D]O|FIX[M]E|XX[X])\b|not yet implemente[d]|\b(unimplemented|todo)[!]";
/// Folders of people; those names that stand for anybody may be used in samples.
const HOMES: &str = r"/(?:home|Users)/(?:[A-Za-z][\w.-]*)";
const ANYBODY: &[&str] = &["user", "me", "you", "someone", "alice", "bob", "ci", "runner"];

fn without_opening(source: &Source) -> Option<String> {
    let opens = source.text.starts_with("//! ");
    (!opens).then(|| format!("{} opens with something else", source.path))
}

fn too_long(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    (lines > MOST_LINES && !source.is_test()).then(|| format!("{} has {lines} lines", source.path))
}

/// Files that people write; recorded output and lock files are not among them.
fn written(code: &Code) -> impl Iterator<Item = &Source> {
    const ENDINGS: &[&str] = &["rs", "toml", "sql", "scm", "sh", "md", "yml", "yaml"];
    let is_written = |source: &&Source| {
        let ending = Path::new(&source.path).extension().and_then(|ending| ending.to_str());
        source.path.starts_with(".ci/") || ending.is_some_and(|ending| ENDINGS.contains(&ending))
    };
    code.sources.iter().filter(is_written)
}

fn matches(source: &Source, pattern: &Regex) -> Vec<String> {
    let find = |(index, line): (usize, &str)| {
        let found = pattern.find_iter(line).map(|found| found.as_str());
        let found = found.into_iter().find(|found| !names_anybody(found))?;
        Some(format!("{}:{}: {found}", source.path, index + 1))
    };
    source.text.lines().enumerate().filter_map(find).collect()
}

/// A home that stands for anybody's; a checkout may well be called so.
fn names_anybody(path: &str) -> bool {
    let home = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"));
    home.is_some_and(|name| ANYBODY.contains(&name))
}

/// Paths of people's folders, and of this very checkout.
fn machine_paths(root: &Path) -> Result<Regex> {
    let root = root.to_string_lossy();
    // A checkout directly below `/` has a path that may stand for anything.
    let own = if root.matches('/').count() > 1 { regex::escape(&root) } else { HOMES.to_owned() };
    Ok(Regex::new(&format!("{HOMES}|{own}"))?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn a_file_that_does_not_say_what_it_is_is_found() {
        let code = Code::of_files(&[
            ("crates/a/src/lib.rs", "//! Says it.\n"),
            ("crates/a/src/b.rs", "use std::fs;\n"),
            ("README.md", "# not Rust\n"),
        ]);
        assert_finds(
            &OPENS_WITH_WHAT_IT_IS,
            &code,
            &["crates/a/src/b.rs opens with something else"],
        );
    }

    #[test]
    fn a_long_file_is_found_unless_it_is_a_test() {
        let long = "//! Long.\n".repeat(501);
        let just = "//! Long.\n".repeat(500);
        let code = Code::of_files(&[
            ("crates/a/src/long.rs", &long),
            ("crates/a/src/just.rs", &just),
            ("crates/a/tests/it/long.rs", &long),
            ("crates/a/src/tests.rs", &long),
        ]);
        assert_finds(&SHORT, &code, &["crates/a/src/long.rs has 501 lines"]);
    }

    #[test]
    fn every_mark_of_unfinished_work_is_found() {
        for mark in [
            concat!("TO", "DO"),
            concat!("FIX", "ME:"),
            concat!("XX", "X"),
            concat!("todo", "!()"),
            concat!("unimplemented", "!()"),
            concat!("not yet ", "implemented"),
        ] {
            let code = Code::of_files(&[("a.rs", &format!("fine\nlater // {mark}\n"))]);
            let found = (FINISHED.check)(&code).unwrap();
            assert!(found.len() == 1 && found[0].starts_with("a.rs:2: "), "{mark}: {found:?}");
        }
    }

    #[test]
    fn a_kind_of_note_is_no_mark() {
        let code = Code::of_files(&[("a.rs", "NoteKind::Todo => \"todo\", // XXXL\n")]);
        assert_finds(&FINISHED, &code, &[]);
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        let own = workspace::root().join("crates").display().to_string();
        let home = concat!("/ho", "me/jdoe");
        let text = format!("at {home}/src\n/home/user/src is anybody\n");
        let code = Code::of_files(&[("a.md", &text), ("log.snap", home), ("b.toml", &own)]);
        let found = (FREE_OF_MACHINES.check)(&code).unwrap();
        assert_eq!(found[0], format!("a.md:1: {home}"));
        assert_eq!(found.len(), if own.matches('/').count() > 2 { 2 } else { 1 }, "{found:?}");
    }
}
