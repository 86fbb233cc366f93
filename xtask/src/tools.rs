//! Development tools from the registry, installed once into `target/tools` with the version pinned here.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace::Metadata;
use crate::{console, process};

/// A program that `cargo install` builds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    /// Further arguments of `cargo install`.
    arguments: &'static [&'static str],
}

pub(crate) const MDBOOK: Tool = Tool {
    name: "mdbook",
    version: "0.5.4",
    arguments: &["--no-default-features", "--features", "search"],
};

pub(crate) const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2", arguments: &[] };

pub(crate) const CARGO_CYCLONEDX: Tool =
    Tool { name: "cargo-cyclonedx", version: "0.5.9", arguments: &[] };

/// A tool is missing and could not be installed.
#[derive(Debug)]
pub(crate) struct NotInstalled(Tool);

impl fmt::Display for NotInstalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} is not installed", self.0.name, self.0.version)
    }
}

/// Returns the path of a tool, installing it first if needed.
pub(crate) fn install(tool: &Tool) -> Result<PathBuf> {
    let root = Metadata::read()?.target_directory.join("tools");
    let program = root.join("bin").join(tool.name);
    if has_version(&program, tool) {
        return Ok(program);
    }
    console::line(format!("installing {} {} into {}", tool.name, tool.version, root.display()));
    let mut cargo = process::cargo();
    cargo.args(["install", tool.name, "--version", tool.version, "--locked", "--quiet", "--force"]);
    cargo.args(tool.arguments).arg("--root").arg(&root);
    process::run(&mut cargo).with_context(|| NotInstalled(*tool))?;
    Ok(program)
}

fn has_version(program: &Path, tool: &Tool) -> bool {
    let mut command = process::command(program);
    // A cargo subcommand run by its path expects its own name first.
    command.args(tool.name.strip_prefix("cargo-")).arg("--version");
    process::stdout_text(&mut command).is_ok_and(|text| text.trim().ends_with(tool.version))
}
