//! Every dependency has a license that `deny.toml` allows.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Rule;
use crate::workspace::{self, Package};

pub(super) const ALLOWED: Rule = Rule {
    name: "every dependency's license is allowed by deny.toml",
    reason: "Forebay is one binary that anyone may redistribute, under MIT or Apache-2.0.",
    check: |codebase| Ok(violations(&codebase.metadata.packages, &allowed()?)),
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
        None => Some(format!("{name} {version} declares no license")),
        Some(license) if permits(license, allowed) => None,
        Some(license) => Some(format!("{name} {version}: {license}")),
    }
}

/// Returns whether allowed licenses alone satisfy an SPDX expression; false if it cannot be parsed.
fn permits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    let permitted = parser.any_of();
    permitted && parser.words.is_empty()
}

/// A recursive descent parser; `AND` binds tighter than `OR`.
struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Parser<'_> {
    fn any_of(&mut self) -> bool {
        let mut permitted = self.all_of();
        while self.accept("OR") {
            permitted |= self.all_of();
        }
        permitted
    }

    fn all_of(&mut self) -> bool {
        let mut permitted = self.license();
        while self.accept("AND") {
            permitted &= self.license();
        }
        permitted
    }

    fn license(&mut self) -> bool {
        if self.accept("(") {
            let permitted = self.any_of();
            return self.accept(")") && permitted;
        }
        let Some((license, rest)) = self.words.split_first() else { return false };
        self.words = rest;
        let is_allowed = |name: &str| self.allowed.iter().any(|allowed| allowed == name);
        if let ["WITH", exception, rest @ ..] = rest {
            let name = format!("{license} WITH {exception}");
            let permitted = is_allowed(&name);
            self.words = rest;
            return permitted;
        }
        is_allowed(license)
    }

    fn accept(&mut self, word: &str) -> bool {
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
    use super::super::Codebase;
    use super::*;

    fn check(expression: &str, expected: bool) {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
        assert_eq!(permits(expression, &allowed), expected, "{expression}");
    }

    #[test]
    fn evaluates_spdx_expressions() {
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
    fn invalid_expression_is_not_permitted() {
        check("", false);
        check("(MIT", false);
        check("MIT MIT", false);
    }

    #[test]
    fn finds_package_without_a_license() {
        let codebase = Codebase::with_packages(&[("mystery", &[])]);
        assert_eq!(
            violations(&codebase.metadata.packages, &[]),
            ["mystery 1.0.0 declares no license"]
        );
    }

    #[test]
    fn reads_the_list_from_deny_toml() {
        assert!(allowed().unwrap().contains(&"MIT".to_owned()));
    }
}
