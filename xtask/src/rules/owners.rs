//! Each heavy dependency has one owner.

use super::{Code, Rule};

pub(super) const ONE_EACH: Rule = Rule {
    name: "each heavy dependency has one owner",
    why: "An engine or a protocol that only one crate knows can be replaced in that crate.",
    check: |code| Ok(violations(code)),
};

const OWNERS: &[(&str, &str)] = &[
    ("rusqlite", "forebay-store"),
    ("postgres", "forebay-store"),
    ("zstd", "forebay-store"),
    ("aho-corasick", "forebay-digest"),
    ("jsonc-parser", "forebay-platforms"),
    ("toml_edit", "forebay-platforms"),
    ("schemars", "forebay-app"),
    ("tree-sitter", "forebay-skeleton"),
    ("ureq", "forebay-sandbox"),
    ("argon2", "forebay-app"),
    ("axum", "forebay"),
    ("clap", "forebay"),
    ("hyper", "forebay"),
    ("rmcp", "forebay"),
    ("tokio", "forebay"),
];

fn violations(code: &Code) -> Vec<String> {
    let mut found = Vec::new();
    // Chores are no part of the product, and tests may look at anything.
    for package in code.metadata.members().filter(|package| package.name != "xtask") {
        for dependency in package.dependencies.iter().filter(|needed| needed.kind.is_none()) {
            if let Some(owner) = owner(&dependency.name).filter(|owner| *owner != package.name) {
                found.push(format!("{} uses {}, {owner}'s", package.name, dependency.name));
            }
        }
    }
    found
}

fn owner(dependency: &str) -> Option<&'static str> {
    OWNERS.iter().find(|(name, _)| *name == dependency).map(|(_, owner)| *owner)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn owners_tests_and_chores_may() {
        let code = Code::of_packages(&[
            ("forebay-store", &["rusqlite"]),
            ("forebay-app", &["dev:rusqlite"]),
            ("xtask", &["clap"]),
        ]);
        assert_finds(&ONE_EACH, &code, &[]);
    }

    #[test]
    fn another_user_is_found() {
        let code = Code::of_packages(&[("forebay-app", &["rusqlite", "tokio"])]);
        let expected =
            ["forebay-app uses rusqlite, forebay-store's", "forebay-app uses tokio, forebay's"];
        assert_finds(&ONE_EACH, &code, &expected);
    }
}
