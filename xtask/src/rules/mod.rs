//! `cargo xtask rules`: what holds for the code as a whole and no compiler checks.
//!
//! One file a rule, or a few that look at the same thing. Each rule says why it is there, and has a
//! test with a violation that it finds.

mod contents;
mod deploy;
mod layers;
mod licences;
mod migrations;
mod names;
mod owners;

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use crate::say;
use crate::workspace::{self, Metadata, Source};

/// Check the rules that hold for the code as a whole
#[derive(Debug, Args)]
pub(crate) struct Rules {}

/// A rule, why it is there, and what breaks it.
struct Rule {
    name: &'static str,
    why: &'static str,
    /// One sentence a violation, naming its place.
    check: fn(&Code) -> Result<Vec<String>>,
}

/// What rules look at.
struct Code {
    metadata: Metadata,
    sources: Vec<Source>,
}

const RULES: &[Rule] = &[
    layers::POINT_DOWN,
    owners::ONE_EACH,
    licences::PERMISSIVE,
    contents::OPENS_WITH_WHAT_IT_IS,
    contents::SHORT,
    contents::FINISHED,
    contents::FREE_OF_MACHINES,
    names::NO_GRAB_BAGS,
    migrations::APPEND_ONLY,
    deploy::CLOSED,
];

impl Rules {
    pub(crate) fn carry_out(self) -> Result<()> {
        check()
    }
}

pub(crate) fn check() -> Result<()> {
    let code = Code { metadata: Metadata::read()?, sources: workspace::sources()? };
    let mut broken = 0;
    for rule in RULES {
        let violations = (rule.check)(&code)?;
        say::line(format!("{} {}", if violations.is_empty() { "ok  " } else { "FAIL" }, rule.name));
        tell(rule, &violations);
        broken += usize::from(!violations.is_empty());
    }
    match broken {
        0 => Ok(()),
        count => bail!("{count} of {} rules are broken", RULES.len()),
    }
}

fn tell(rule: &Rule, violations: &[String]) {
    if violations.is_empty() {
        return;
    }
    say::line(format!("     {}", rule.why));
    for violation in violations {
        say::line(format!("   - {violation}"));
    }
}

impl Code {
    fn rust_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.is_rust())
    }
}

impl Source {
    /// Whether this is our Rust.
    fn is_rust(&self) -> bool {
        (self.path.starts_with("crates/") || self.path.starts_with("xtask/"))
            && Path::new(&self.path).extension().is_some_and(|ending| ending == "rs")
    }

    /// Whether this is a test of its own, not a part of the product.
    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Dependency, Package};

    impl Code {
        /// Code of these packages, each with its dependencies; `dev:x` is one of its tests.
        pub(super) fn of_packages(packages: &[(&str, &[&str])]) -> Self {
            let packages = packages.iter().map(|(name, needs)| package(name, needs)).collect();
            Self { metadata: metadata(packages), sources: Vec::new() }
        }

        /// Code of these files.
        pub(super) fn of_files(files: &[(&str, &str)]) -> Self {
            let source = |(path, text): &(&str, &str)| Source {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            };
            Self { metadata: metadata(Vec::new()), sources: files.iter().map(source).collect() }
        }
    }

    fn metadata(packages: Vec<Package>) -> Metadata {
        Metadata { packages, target_directory: "/w/target".into() }
    }

    fn package(name: &str, needs: &[&str]) -> Package {
        let dependency = |word: &&str| {
            let (kind, name) = word.split_once(':').map_or((None, *word), |(k, n)| (Some(k), n));
            Dependency { name: name.to_owned(), kind: kind.map(str::to_owned) }
        };
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            manifest_path: "/w/Cargo.toml".into(),
            license: None,
            source: None,
            dependencies: needs.iter().map(dependency).collect(),
        }
    }

    /// Asserts what a rule says of some code.
    pub(super) fn assert_finds(rule: &Rule, code: &Code, expected: &[&str]) {
        assert_eq!((rule.check)(code).unwrap(), expected, "{}", rule.name);
    }
}
