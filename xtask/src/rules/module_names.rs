//! Modules are named after what they do.

use super::Rule;
use crate::workspace::Source;

pub(super) const NO_GRAB_BAG: Rule = Rule {
    name: "no module is called util, common or the like",
    reason: "A module without a purpose collects everything without a name until all code depends on it.",
    check: |codebase| Ok(codebase.rust_sources().filter_map(grab_bag).collect()),
};

const GRAB_BAGS: &[&str] = &["util", "utils", "helpers", "common", "core", "types", "misc"];

fn grab_bag(source: &Source) -> Option<String> {
    let mut parts = source.path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
    parts.find(|part| GRAB_BAGS.contains(part)).map(|part| format!("{}: `{part}`", source.path))
}

#[cfg(test)]
mod tests {
    use super::super::Codebase;
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_files_and_folders() {
        let codebase = Codebase::with_files(&[
            ("crates/a/src/utils.rs", ""),
            ("crates/a/src/core/mod.rs", ""),
            ("crates/a/src/scores.rs", ""),
            ("docs/core.md", ""),
        ]);
        let expected = ["crates/a/src/utils.rs: `utils`", "crates/a/src/core/mod.rs: `core`"];
        assert_finds(&NO_GRAB_BAG, &codebase, &expected);
    }
}
