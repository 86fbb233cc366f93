//! The modules that name the operating system are those that `docs/guides/windows.md` lists.

use std::collections::BTreeSet;

use super::rust_code::{identifiers, without_comments_and_literals, without_test_items};
use super::{Codebase, Rule};
use crate::workspace::Source;

pub(super) const LISTED: Rule = Rule {
    name: "modules that name the operating system are listed for a port",
    reason: "Whoever ports Forebay to Windows starts from docs/guides/windows.md.",
    check: |codebase| Ok(violations(codebase)),
};

const LIST: &str = "docs/guides/windows.md";
/// Words that occur only where code depends on the operating system.
const WORDS: [&str; 4] = ["rustix", "libc", "unix", "target_os"];
/// Crates of which nothing is in the program.
const TEST_CRATES: [&str; 2] = ["forebay-store-conformance", "forebay-test-support"];

fn violations(codebase: &Codebase) -> Vec<String> {
    let Some(list) = codebase.sources.iter().find(|source| source.path == LIST) else {
        return Vec::new();
    };
    let listed = listed(&list.text);
    let is_below = |path: &str, place: &String| {
        path.strip_prefix(place.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let missing = bound_to_the_system(codebase)
        .filter(|source| !listed.iter().any(|place| is_below(&source.path, place)))
        .map(|source| format!("{} is not in {LIST}", source.path));
    let is_there =
        |place: &&String| codebase.sources.iter().any(|source| is_below(&source.path, place));
    let gone =
        listed.iter().filter(|place| !is_there(place)).map(|place| format!("{LIST}: no {place}"));
    missing.chain(gone).collect()
}

/// The paths in the first column of the table. A name without a crate stands beside the first path of its row.
fn listed(page: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cell = row.split('|').nth(1).unwrap_or_default();
        let mut folder = "";
        for name in cell.split('`').skip(1).step_by(2) {
            if name.starts_with("forebay") {
                folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
                paths.insert(format!("crates/{name}"));
            } else {
                paths.insert(format!("crates/{folder}/{name}"));
            }
        }
    }
    paths
}

fn bound_to_the_system(codebase: &Codebase) -> impl Iterator<Item = &Source> {
    let is_of_program = |source: &&Source| {
        source.path.starts_with("crates/")
            && source.path.contains("/src/")
            && !source.is_test()
            && !TEST_CRATES.iter().any(|name| source.path.starts_with(&format!("crates/{name}/")))
    };
    codebase.rust_sources().filter(is_of_program).filter(|source| {
        let code = without_test_items(&without_comments_and_literals(&source.text));
        identifiers(&code).any(|(_, word)| WORDS.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_unlisted_modules_and_places_that_are_gone() {
        let page = "| where | what |\n|---|---|\n| `forebay-a/src/x`, `y.rs`, `forebay-b/src/z.rs` | z |\n\
                    | `forebay-a/src/gone.rs` | - |\n";
        let codebase = Codebase::with_files(&[
            (LIST, page),
            ("crates/forebay-a/src/x/mod.rs", "use rustix::fs;"),
            ("crates/forebay-a/src/y.rs", "use std::os::unix::fs::MetadataExt;"),
            ("crates/forebay-a/src/yes.rs", "// rustix\nconst A: &str = \"unix\";"),
            ("crates/forebay-a/src/w.rs", "fn w() {}\n#[cfg(test)]\nmod tests { use rustix::fs; }"),
            ("crates/forebay-a/src/v.rs", "fn v() -> bool { cfg!(target_os = \"macos\") }"),
            ("crates/forebay-a/tests/it/u.rs", "use rustix::fs;"),
            ("crates/forebay-b/src/z.rs", "use libc::c_int;"),
        ]);
        let expected = [
            "crates/forebay-a/src/v.rs is not in docs/guides/windows.md",
            "docs/guides/windows.md: no crates/forebay-a/src/gone.rs",
        ];
        assert_finds(&LISTED, &codebase, &expected);
    }
}
