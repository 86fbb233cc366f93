//! Crates form layers, and imports point down.

use super::{Codebase, Rule};
use crate::workspace::{Dependency, Package};

pub(super) const IMPORTS_POINT_DOWN: Rule = Rule {
    name: "a crate imports only from lower layers",
    reason: "A crate that imports sideways or up cannot be understood, tested or replaced alone.",
    check: |codebase| Ok(violations(codebase)),
};

/// The layer of each crate; a new crate is added here first.
const LAYERS: &[(&str, u8)] = &[
    ("forebay-text", 0),
    ("forebay-domain", 1),
    ("forebay-grammars", 1),
    ("forebay-policy", 1),
    ("forebay-redact", 1),
    ("forebay-digest", 2),
    ("forebay-embed", 2),
    ("forebay-platforms", 2),
    ("forebay-sandbox", 2),
    ("forebay-skeleton", 2),
    ("forebay-store", 2),
    ("forebay-store-postgres", 3),
    ("forebay-store-sqlite", 3),
    ("forebay-app", 4),
    ("forebay-store-conformance", 4),
    ("forebay", 5),
    // Outside of the product: it may import everything, and nothing may import it.
    ("xtask", u8::MAX),
];
/// Imports nothing of the workspace; every crate may import it, in tests only.
const TEST_SUPPORT: &str = "forebay-test-support";

fn violations(codebase: &Codebase) -> Vec<String> {
    codebase.metadata.members().flat_map(violations_of).collect()
}

fn violations_of(package: &Package) -> Vec<String> {
    let name = &package.name;
    if name == TEST_SUPPORT {
        let imports = package.dependencies.iter().filter(|needed| layer(&needed.name).is_some());
        return imports.map(|needed| format!("{name} depends on {}", needed.name)).collect();
    }
    let Some(own) = layer(name) else {
        return vec![format!("{name} has no layer in xtask/src/rules/layers.rs")];
    };
    let violation = |dependency: &Dependency| {
        let needed = &dependency.name;
        if needed == TEST_SUPPORT {
            let is_allowed = dependency.kind.as_deref() == Some("dev") || name == "xtask";
            return (!is_allowed).then(|| format!("{name} depends on {needed} outside of tests"));
        }
        let theirs = layer(needed).filter(|theirs| *theirs >= own)?;
        Some(format!("{name} (layer {own}) depends on {needed} (layer {theirs})"))
    };
    package.dependencies.iter().filter_map(violation).collect()
}

fn layer(name: &str) -> Option<u8> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn imports_from_lower_layers_are_allowed() {
        let codebase = Codebase::with_packages(&[
            ("forebay-store", &["forebay-domain", "zstd"]),
            ("forebay-text", &["dev:forebay-test-support"]),
            ("xtask", &["forebay-app", "forebay-test-support"]),
        ]);
        assert_finds(&IMPORTS_POINT_DOWN, &codebase, &[]);
    }

    #[test]
    fn finds_imports_sideways_and_up_in_tests_too() {
        let codebase = Codebase::with_packages(&[
            ("forebay-store-sqlite", &["forebay-store-postgres"]),
            ("forebay-domain", &["dev:forebay-app"]),
        ]);
        let expected = [
            "forebay-store-sqlite (layer 3) depends on forebay-store-postgres (layer 3)",
            "forebay-domain (layer 1) depends on forebay-app (layer 4)",
        ];
        assert_finds(&IMPORTS_POINT_DOWN, &codebase, &expected);
    }

    #[test]
    fn finds_test_support_in_the_product() {
        let codebase = Codebase::with_packages(&[
            ("forebay-app", &["forebay-test-support"]),
            ("forebay-test-support", &["forebay-domain"]),
        ]);
        let expected = [
            "forebay-app depends on forebay-test-support outside of tests",
            "forebay-test-support depends on forebay-domain",
        ];
        assert_finds(&IMPORTS_POINT_DOWN, &codebase, &expected);
    }

    #[test]
    fn finds_crate_without_a_layer() {
        let codebase = Codebase::with_packages(&[("forebay-new", &[])]);
        let expected = ["forebay-new has no layer in xtask/src/rules/layers.rs"];
        assert_finds(&IMPORTS_POINT_DOWN, &codebase, &expected);
    }
}
