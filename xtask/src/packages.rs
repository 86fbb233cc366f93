//! The languages that the tests of runtimes need, from the system's packages.

use std::fs;

use anyhow::{Context, Result};

use crate::{say, shell};

/// A program that must be here, and the Debian package that brings it.
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
];

/// Installs what is missing where this may; says loudly what stays missing.
pub(crate) fn install_missing() {
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|(program, _)| !is_here(program))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return;
    }
    let told = missing.join(", ");
    if !may_install() {
        say::loudly(format!("not installed, so not tested: {told}"));
        return;
    }
    say::line(format!("installing {told}"));
    if let Err(error) = install(&missing) {
        // The tests decide whether they can do without.
        say::loudly(format!("could not install {told}: {error:#}"));
    }
}

fn is_here(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Whether this is root's and the system has apt.
pub(crate) fn may_install() -> bool {
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    is_root && is_here("apt-get")
}

/// Installs packages of the system.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let apt = |arguments: &[&str]| {
        shell::output(
            shell::command("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"),
        )
        .with_context(|| format!("apt-get {}", arguments.join(" ")))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_path() {
        assert!(is_here("sh"));
        assert!(!is_here("no-such-program-anywhere"));
    }
}
