//! Installs what tests need with apt: language runtimes, and the tools of package formats.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{console, process};

/// A required program and the Debian package that contains it.
const PACKAGES: &[(&str, &str)] = &[
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("python3", "python3"),
    ("perl", "perl"),
    ("ruby", "ruby"),
    ("php", "php-cli"),
    ("lua5.4", "lua5.4"),
    ("cc", "gcc"),
    ("c++", "g++"),
    ("rpmbuild", "rpm"),
];

/// Installs missing runtimes if possible, and warns about those that remain missing.
pub(crate) fn install_missing() {
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|(program, _)| !is_on_path(program))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return;
    }
    let names = missing.join(", ");
    if !can_install() {
        console::warning(format!("not installed, so not tested: {names}"));
        return;
    }
    console::line(format!("installing {names}"));
    if let Err(error) = install(&missing) {
        // The tests that need a runtime report it as skipped.
        console::warning(format!("cannot install {names}: {error:#}"));
    }
}

/// Returns whether a program is in a folder of PATH.
pub(crate) fn is_on_path(program: &str) -> bool {
    find_on_path(program).is_some()
}

/// Returns the file of a program in a folder of PATH.
pub(crate) fn find_on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Returns whether this process is root on a system with apt.
pub(crate) fn can_install() -> bool {
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    is_root && is_on_path("apt-get")
}

/// Waits for another package manager, such as the daily upgrades of a fresh machine.
const LOCK_TIMEOUT: &str = "-oDPkg::Lock::Timeout=300";

/// Installs Debian packages.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let apt = |arguments: &[&str]| {
        let mut apt = process::command("apt-get");
        apt.arg(LOCK_TIMEOUT).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        process::stdout(&mut apt).with_context(|| format!("apt-get {}", arguments.join(" ")))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_programs_on_path() {
        assert!(is_on_path("sh"));
        assert!(!is_on_path("no-such-program-anywhere"));
    }
}
