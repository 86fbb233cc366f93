//! Each heavy dependency is used by one crate.

use super::{Codebase, Rule};

pub(super) const SINGLE_OWNER: Rule = Rule {
    name: "each heavy dependency has one owner",
    reason: "An engine or a protocol that only one crate uses can be replaced in that crate.",
    check: |codebase| Ok(violations(codebase)),
};

const OWNERS: &[(&str, &str)] = &[
    ("rusqlite", "forebay-store-sqlite"),
    ("postgres", "forebay-store-postgres"),
    ("zstd", "forebay-store"),
    // Only in a released program, whose tables of grammars are compressed.
    ("zstd", "forebay-grammars"),
    ("aho-corasick", "forebay-digest"),
    ("jsonc-parser", "forebay-platforms"),
    ("toml_edit", "forebay-platforms"),
    ("schemars", "forebay-app"),
    ("tree-sitter", "forebay-skeleton"),
    ("ureq", "forebay-sandbox"),
    ("argon2", "forebay-app"),
    ("axum", "forebay"),
    ("clap", "forebay"),
    ("crossterm", "forebay"),
    ("hyper", "forebay"),
    ("ratatui", "forebay"),
    ("rmcp", "forebay"),
    ("tokio", "forebay"),
];

fn violations(codebase: &Codebase) -> Vec<String> {
    let mut violations = Vec::new();
    // xtask is not part of the product, and tests may use everything.
    for package in codebase.metadata.members().filter(|package| package.name != "xtask") {
        for dependency in package.dependencies.iter().filter(|needed| needed.kind.is_none()) {
            let (user, name) = (&package.name, &dependency.name);
            let owners = owners(name);
            if !owners.is_empty() && !owners.contains(&user.as_str()) {
                violations
                    .push(format!("{user} uses {name}, which only {} may", owners.join(" and ")));
            }
        }
    }
    violations
}

fn owners(dependency: &str) -> Vec<&'static str> {
    OWNERS.iter().filter(|(name, _)| *name == dependency).map(|(_, owner)| *owner).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn owners_tests_and_xtask_may() {
        let codebase = Codebase::with_packages(&[
            ("forebay-store-sqlite", &["rusqlite"]),
            ("forebay-app", &["dev:rusqlite"]),
            ("xtask", &["clap"]),
        ]);
        assert_finds(&SINGLE_OWNER, &codebase, &[]);
    }

    #[test]
    fn finds_another_user() {
        let codebase = Codebase::with_packages(&[("forebay-app", &["rusqlite", "tokio"])]);
        let expected = [
            "forebay-app uses rusqlite, which only forebay-store-sqlite may",
            "forebay-app uses tokio, which only forebay may",
        ];
        assert_finds(&SINGLE_OWNER, &codebase, &expected);
    }
}
