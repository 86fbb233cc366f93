//! Dependencies carry licences that the list in `deny.toml` allows.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Rule;
use crate::workspace::{self, Package};

pub(super) const PERMISSIVE: Rule = Rule {
    name: "every dependency's licence is allowed by deny.toml",
    why: "Forebay is one binary that anybody may ship, under MIT or Apache-2.0.",
    check: |code| Ok(violations(&code.metadata.packages, &allowed()?)),
};

#[derive(Debug, Deserialize)]
struct Deny {
    licenses: Licenses,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

fn allowed() -> Result<Vec<String>> {
    let text = fs::read_to_string(workspace::root().join("deny.toml")).context("deny.toml")?;
    Ok(toml::from_str::<Deny>(&text).context("deny.toml")?.licenses.allow)
}

fn violations(packages: &[Package], allowed: &[String]) -> Vec<String> {
    packages.iter().filter_map(|package| violation(package, allowed)).collect()
}

fn violation(package: &Package, allowed: &[String]) -> Option<String> {
    let (name, version) = (&package.name, &package.version);
    match package.license.as_deref() {
        None => Some(format!("{name} {version} tells no licence")),
        Some(told) if permits(told, allowed) => None,
        Some(told) => Some(format!("{name} {version}: {told}")),
    }
}

/// Whether an SPDX expression can be met with allowed licences alone; what cannot be read cannot.
fn permits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    let permitted = reader.either();
    permitted && reader.words.is_empty()
}

/// Reads an expression from left to right; `AND` binds closer than `OR`.
struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Reader<'_> {
    fn either(&mut self) -> bool {
        let mut permitted = self.both();
        while self.takes("OR") {
            permitted |= self.both();
        }
        permitted
    }

    fn both(&mut self) -> bool {
        let mut permitted = self.one();
        while self.takes("AND") {
            permitted &= self.one();
        }
        permitted
    }

    fn one(&mut self) -> bool {
        if self.takes("(") {
            let permitted = self.either();
            return self.takes(")") && permitted;
        }
        let Some((licence, rest)) = self.words.split_first() else { return false };
        self.words = rest;
        let is_allowed = |name: &str| self.allowed.iter().any(|allowed| allowed == name);
        if let ["WITH", exception, rest @ ..] = rest {
            let name = format!("{licence} WITH {exception}");
            let permitted = is_allowed(&name);
            self.words = rest;
            return permitted;
        }
        is_allowed(licence)
    }

    fn takes(&mut self, word: &str) -> bool {
        match self.words.split_first() {
            Some((first, rest)) if *first == word => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Code;
    use super::*;

    fn check(expression: &str, expected: bool) {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
        assert_eq!(permits(expression, &allowed), expected, "{expression}");
    }

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        check("MIT", true);
        check("GPL-3.0-only", false);
        check("GPL-3.0-only OR MIT", true);
        check("MIT/Apache-2.0", true);
        check("MIT AND GPL-3.0-only", false);
        check("(MIT OR GPL-3.0-only) AND Unicode-3.0", true);
        check("GPL-2.0-only OR Apache-2.0 AND LGPL-3.0-only", false);
        check("Apache-2.0 WITH LLVM-exception OR MIT", true);
        check("Apache-2.0 WITH LLVM-exception", false);
    }

    #[test]
    fn what_cannot_be_read_is_not_permitted() {
        check("", false);
        check("(MIT", false);
        check("MIT MIT", false);
    }

    #[test]
    fn a_package_without_a_licence_is_found() {
        let code = Code::of_packages(&[("mystery", &[])]);
        assert_eq!(violations(&code.metadata.packages, &[]), ["mystery 1.0.0 tells no licence"]);
    }

    #[test]
    fn the_list_is_read_from_deny_toml() {
        assert!(allowed().unwrap().contains(&"MIT".to_owned()));
    }
}
