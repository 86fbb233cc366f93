//! Collects the checks and tests that did not run, reports them, and fails in CI if there are any.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};
use forebay_test_support::{SKIPPED_TESTS_VARIABLE, is_ci};
use tempfile::TempDir;

use crate::console;

/// Skipped checks and tests, grouped by reason.
pub(crate) struct Skips {
    by_reason: BTreeMap<String, Vec<String>>,
    folder: TempDir,
}

impl Skips {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { by_reason: BTreeMap::new(), folder: tempfile::tempdir()? })
    }

    /// Records a skipped check; fails in CI, where nothing may be skipped.
    pub(crate) fn add(&mut self, name: &str, reason: &str) -> Result<()> {
        ensure!(!is_ci(), "{name} cannot be skipped in CI: {reason}");
        console::warning(format!("SKIPPED {name}: {reason}"));
        self.insert(name, reason);
        Ok(())
    }

    /// Makes a test runner's tests record that they were skipped.
    pub(super) fn configure(&self, runner: &mut Command) {
        runner.env(SKIPPED_TESTS_VARIABLE, self.file());
    }

    /// Adds what the tests recorded.
    pub(super) fn read_tests(&mut self) {
        // No test was skipped if the file does not exist.
        let text = fs::read_to_string(self.file()).unwrap_or_default();
        for (name, reason) in text.lines().filter_map(|line| line.split_once(": ")) {
            self.insert(name, reason);
        }
    }

    /// Lists everything skipped by reason, with names.
    pub(super) fn report(&self) -> String {
        self.describe(|names| format!(": {}", names.join(", ")))
    }

    /// Lists the reasons with counts.
    pub(super) fn summary(&self) -> String {
        self.describe(|_| String::new())
    }

    pub(super) fn count(&self) -> usize {
        self.by_reason.values().map(Vec::len).sum()
    }

    fn describe(&self, names: impl Fn(&[String]) -> String) -> String {
        let lines = self.by_reason.iter().map(|(reason, skipped)| {
            format!("\n  {} because {reason}{}", skipped.len(), names(skipped))
        });
        format!("skipped: {}{}", self.count(), lines.collect::<String>())
    }

    /// A test may record the same reason several times.
    fn insert(&mut self, name: &str, reason: &str) {
        let names = self.by_reason.entry(reason.to_owned()).or_default();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("skipped-tests")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_skipped_tests_by_reason_once() {
        let mut skips = Skips::new().unwrap();
        let lines =
            "a::x: no Landlock\nb::y: no server: FOREBAY_TEST_POSTGRES\na::x: no Landlock\n";
        fs::write(skips.file(), lines).unwrap();
        skips.read_tests();
        skips.insert("clients", "no Landlock");
        assert_eq!(
            skips.report(),
            "skipped: 3\n  2 because no Landlock: a::x, clients\n  \
             1 because no server: FOREBAY_TEST_POSTGRES: b::y"
        );
        assert_eq!(skips.summary().lines().nth(1), Some("  2 because no Landlock"));
    }

    #[test]
    fn reports_that_nothing_was_skipped() {
        let mut skips = Skips::new().unwrap();
        skips.read_tests();
        assert_eq!(skips.report(), "skipped: 0");
    }
}
