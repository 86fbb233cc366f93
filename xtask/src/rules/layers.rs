//! Layers point down.

use super::{Code, Rule};

pub(super) const POINT_DOWN: Rule = Rule {
    name: "a crate imports only from lower layers",
    why: "What points sideways or up can no longer be understood, tested or replaced alone.",
    check: |code| Ok(violations(code)),
};

/// Each crate's layer; a new crate takes its place here first.
const LAYERS: &[(&str, u8)] = &[
    ("forebay-domain", 1),
    ("forebay-digest", 2),
    ("forebay-embed", 2),
    ("forebay-platforms", 2),
    ("forebay-sandbox", 2),
    ("forebay-skeleton", 2),
    ("forebay-store", 2),
    ("forebay-app", 3),
    ("forebay", 4),
    // Stands outside: it may look at everything and nothing may look at it.
    ("xtask", u8::MAX),
];

fn violations(code: &Code) -> Vec<String> {
    let mut found = Vec::new();
    for package in code.metadata.members() {
        let Some(own) = layer(&package.name) else {
            found.push(format!("{} has no layer in xtask/src/rules/layers.rs", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            if let Some(theirs) = layer(&dependency.name).filter(|theirs| *theirs >= own) {
                let (from, to) = (&package.name, &dependency.name);
                found.push(format!("{from} (layer {own}) depends on {to} (layer {theirs})"));
            }
        }
    }
    found
}

fn layer(name: &str) -> Option<u8> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn down_is_fine() {
        let code = Code::of_packages(&[
            ("forebay-store", &["forebay-domain", "rusqlite"]),
            ("xtask", &["forebay-app"]),
        ]);
        assert_finds(&POINT_DOWN, &code, &[]);
    }

    #[test]
    fn sideways_and_up_are_found_also_in_tests() {
        let code = Code::of_packages(&[
            ("forebay-store", &["forebay-digest"]),
            ("forebay-domain", &["dev:forebay-app"]),
        ]);
        let expected = [
            "forebay-store (layer 2) depends on forebay-digest (layer 2)",
            "forebay-domain (layer 1) depends on forebay-app (layer 3)",
        ];
        assert_finds(&POINT_DOWN, &code, &expected);
    }

    #[test]
    fn a_crate_without_a_layer_is_found() {
        let code = Code::of_packages(&[("forebay-new", &[])]);
        let expected = ["forebay-new has no layer in xtask/src/rules/layers.rs"];
        assert_finds(&POINT_DOWN, &code, &expected);
    }
}
