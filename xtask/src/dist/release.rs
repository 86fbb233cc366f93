//! What is released: the one table of names, texts and targets.

use anyhow::{Context, Result};

use crate::process;
use crate::workspace::{self, Metadata};

pub(super) const NAME: &str = "forebay";
pub(super) const TITLE: &str = "Forebay";
pub(super) const AUTHORS: &str = "The Forebay authors";
pub(super) const KEYWORDS: [&str; 5] = ["mcp", "ai-agents", "context-window", "claude-code", "cli"];

/// A release of this workspace.
#[derive(Debug, Clone)]
pub(super) struct Release {
    pub(super) version: String,
    pub(super) description: String,
    pub(super) license: String,
    /// Where sources and releases are published, without a slash at the end.
    pub(super) repository: Option<String>,
    /// Seconds since 1970 of the released commit: the time of every file in a package.
    pub(super) time: u64,
}

/// A platform that packages exist for.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) triple: &'static str,
    pub(super) npm: Npm,
    /// The platform tag of a wheel.
    pub(super) wheel: &'static str,
    /// The architecture of a Debian package, if there is one.
    pub(super) debian: Option<&'static str>,
    pub(super) rpm: Option<&'static str>,
    /// The oldest C library that the program runs with.
    pub(super) glibc: Option<&'static str>,
}

/// What npm calls a platform.
#[derive(Debug)]
pub(super) struct Npm {
    pub(super) os: &'static str,
    pub(super) cpu: &'static str,
    pub(super) libc: Option<&'static str>,
}

/// The C library of Debian 10 and RHEL 8.
const GLIBC: &str = "2.28";

pub(super) const TARGETS: [Target; 6] = [
    Target {
        triple: "x86_64-unknown-linux-gnu",
        npm: Npm { os: "linux", cpu: "x64", libc: Some("glibc") },
        wheel: "manylinux_2_28_x86_64",
        debian: Some("amd64"),
        rpm: Some("x86_64"),
        glibc: Some(GLIBC),
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        npm: Npm { os: "linux", cpu: "arm64", libc: Some("glibc") },
        wheel: "manylinux_2_28_aarch64",
        debian: Some("arm64"),
        rpm: Some("aarch64"),
        glibc: Some(GLIBC),
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        npm: Npm { os: "linux", cpu: "x64", libc: Some("musl") },
        wheel: "musllinux_1_2_x86_64",
        debian: None,
        rpm: None,
        glibc: None,
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        npm: Npm { os: "linux", cpu: "arm64", libc: Some("musl") },
        wheel: "musllinux_1_2_aarch64",
        debian: None,
        rpm: None,
        glibc: None,
    },
    Target {
        triple: "x86_64-apple-darwin",
        npm: Npm { os: "darwin", cpu: "x64", libc: None },
        wheel: "macosx_11_0_x86_64",
        debian: None,
        rpm: None,
        glibc: None,
    },
    Target {
        triple: "aarch64-apple-darwin",
        npm: Npm { os: "darwin", cpu: "arm64", libc: None },
        wheel: "macosx_11_0_arm64",
        debian: None,
        rpm: None,
        glibc: None,
    },
];

impl Release {
    /// Reads the package's manifest and the time of the commit.
    pub(super) fn read(repository: Option<String>) -> Result<Self> {
        let metadata = Metadata::read()?;
        let package = metadata.members().find(|package| package.name == NAME);
        let package = package.context("the workspace has no package forebay")?;
        Ok(Self {
            version: package.version.clone(),
            description: package.description.clone().context("forebay has no description")?,
            license: package.license.clone().context("forebay has no license")?,
            repository: repository.map(|url| url.trim_end_matches('/').to_owned()),
            time: commit_time()?,
        })
    }

    /// The name in the MCP registry, whose namespaces are owners on GitHub.
    pub(super) fn registry_name(&self) -> Option<String> {
        let owner =
            self.repository.as_ref()?.strip_prefix("https://github.com/")?.split('/').next()?;
        Some(format!("io.github.{owner}/{NAME}"))
    }

    /// The address of a file of this release.
    pub(super) fn download(&self, file: &str) -> Option<String> {
        let repository = self.repository.as_ref()?;
        Some(format!("{repository}/releases/download/v{}/{file}", self.version))
    }

    /// The day of the released commit in UTC.
    pub(super) fn date(&self) -> Result<String> {
        let time = jiff::Timestamp::from_second(self.time.try_into()?)?;
        Ok(time.strftime("%Y-%m-%d").to_string())
    }

    /// The name of a file or folder for one target, without an extension.
    pub(super) fn stem(&self, target: &Target) -> String {
        format!("{NAME}-{}-{}", self.version, target.triple)
    }
}

impl Npm {
    /// The name of the package that holds the program for this platform.
    pub(super) fn package(&self) -> String {
        let libc = if self.libc == Some("musl") { "-musl" } else { "" };
        format!("@{NAME}/{}-{}{libc}", self.os, self.cpu)
    }
}

/// Returns the target with a triple.
pub(super) fn target(triple: &str) -> Result<&'static Target> {
    let known = || TARGETS.map(|target| target.triple).join(", ");
    TARGETS
        .iter()
        .find(|target| target.triple == triple)
        .with_context(|| format!("no packages are made for {triple}; targets: {}", known()))
}

fn commit_time() -> Result<u64> {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return time.parse().context("SOURCE_DATE_EPOCH is not a number of seconds");
    }
    let mut git = process::command("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(workspace::root());
    process::stdout_text(&mut git)?.trim().parse().context("git printed no time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_differ_in_every_channel() {
        let names = |name: fn(&Target) -> String| {
            TARGETS.iter().map(name).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(names(|target| target.triple.to_owned()).len(), TARGETS.len());
        assert_eq!(names(|target| target.npm.package()).len(), TARGETS.len());
        assert_eq!(names(|target| target.wheel.to_owned()).len(), TARGETS.len());
    }

    #[test]
    fn unknown_target_is_refused_with_the_known_ones() {
        let error = target("riscv64gc-unknown-linux-gnu").unwrap_err().to_string();
        assert!(error.contains("aarch64-apple-darwin"), "{error}");
    }
}
