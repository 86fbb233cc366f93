//! `cargo xtask rules`: checks properties of the whole repository that no compiler checks.
//!
//! One module per rule, or per group of rules that look at the same thing. Each rule states its reason and has a
//! test with a violation that it finds.

mod bounds;
mod contents;
mod control_files;
mod deploy;
mod folder_cycles;
mod formatting;
mod hosts;
mod layers;
mod licenses;
mod migrations;
mod module_names;
mod owners;
mod retired_words;
mod rust_code;
mod unsafe_code;
mod windows_port;

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use crate::console;
use crate::workspace::{self, Metadata, Source};

/// Check the rules that hold for the whole repository
#[derive(Debug, Args)]
pub(crate) struct Rules {}

/// A rule, its reason, and its check.
struct Rule {
    name: &'static str,
    reason: &'static str,
    /// Returns one line per violation, with its location.
    check: fn(&Codebase) -> Result<Vec<String>>,
}

/// What rules look at.
struct Codebase {
    metadata: Metadata,
    sources: Vec<Source>,
}

const RULES: &[Rule] = &[
    formatting::FORMATTED,
    layers::IMPORTS_POINT_DOWN,
    owners::SINGLE_OWNER,
    folder_cycles::NO_CYCLES,
    hosts::IN_TABLES_ONLY,
    licenses::ALLOWED,
    bounds::IN_ONE_TABLE,
    unsafe_code::FORBIDDEN,
    control_files::READ_SAFELY,
    contents::MODULE_DOC,
    contents::MAX_LENGTH,
    contents::NO_TODO,
    contents::NO_MACHINE_PATH,
    module_names::NO_GRAB_BAG,
    retired_words::NOT_USED,
    migrations::APPEND_ONLY,
    deploy::HARDENED,
    windows_port::LISTED,
];

impl Rules {
    pub(crate) fn run(self) -> Result<()> {
        check()
    }
}

pub(crate) fn check() -> Result<()> {
    let codebase = Codebase { metadata: Metadata::read()?, sources: workspace::sources()? };
    let mut broken = 0;
    for rule in RULES {
        let violations = (rule.check)(&codebase)?;
        let verdict = if violations.is_empty() { "ok  " } else { "FAIL" };
        console::line(format!("{verdict} {}", rule.name));
        print_violations(rule, &violations);
        broken += usize::from(!violations.is_empty());
    }
    match broken {
        0 => Ok(()),
        count => bail!("{count} of {} rules are broken", RULES.len()),
    }
}

fn print_violations(rule: &Rule, violations: &[String]) {
    if violations.is_empty() {
        return;
    }
    console::line(format!("     {}", rule.reason));
    for violation in violations {
        console::line(format!("   - {violation}"));
    }
}

impl Codebase {
    /// Returns the workspace's Rust files.
    fn rust_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.is_rust())
    }

    /// Returns the Rust files of one workspace member.
    fn rust_sources_of(&self, package: &str) -> impl Iterator<Item = &Source> {
        let folder =
            if package == "xtask" { "xtask/".to_owned() } else { format!("crates/{package}/") };
        self.rust_sources().filter(move |source| source.path.starts_with(&folder))
    }
}

impl Source {
    /// Returns whether this is a Rust file of a workspace member.
    fn is_rust(&self) -> bool {
        (self.path.starts_with("crates/") || self.path.starts_with("xtask/"))
            && Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// Returns whether the whole file is test code.
    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Dependency, Package};

    impl Codebase {
        /// A codebase of packages with their dependencies; `dev:x` is a dev-dependency.
        pub(super) fn with_packages(packages: &[(&str, &[&str])]) -> Self {
            let packages = packages.iter().map(|(name, needs)| package(name, needs)).collect();
            Self { metadata: metadata(packages), sources: Vec::new() }
        }

        /// A codebase of files.
        pub(super) fn with_files(files: &[(&str, &str)]) -> Self {
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
            description: None,
            manifest_path: "/w/Cargo.toml".into(),
            license: None,
            source: None,
            dependencies: needs.iter().map(dependency).collect(),
        }
    }

    /// Asserts which violations a rule finds.
    #[track_caller]
    pub(super) fn assert_finds(rule: &Rule, codebase: &Codebase, expected: &[&str]) {
        assert_eq!((rule.check)(codebase).unwrap(), expected, "{}", rule.name);
    }
}
