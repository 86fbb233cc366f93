//! Builds `docs/` as HTML with mdBook.
//!
//! mdBook is a tool, not a dependency: it is installed once into `target/tools`, with the version pinned here.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::test::Skips;
use crate::workspace::Metadata;
use crate::{console, process, workspace};

const VERSION: &str = "0.5.4";

/// Builds the book into `target/book`; installs mdBook if it is missing.
pub(super) fn build() -> Result<()> {
    let target = Metadata::read()?.target_directory;
    let mdbook = installed(&target.join("tools"))?;
    let book = target.join("book");
    let mut build = process::command(&mdbook);
    build.args(["build", "docs", "--dest-dir"]).arg(&book);
    let output = build.current_dir(workspace::root()).output().context("cannot start mdbook")?;
    let report = String::from_utf8_lossy(&output.stderr);
    // mdBook succeeds with warnings, such as an HTML tag that is not closed.
    ensure!(output.status.success() && !report.contains(" WARN "), "mdbook build:\n{report}");
    console::line(format!("built {}", book.join("index.html").display()));
    Ok(())
}

/// Builds the book; skips it if mdBook cannot be installed.
pub(super) fn build_if_available(skips: &mut Skips) -> Result<()> {
    match build() {
        Err(error) if error.is::<NotInstalled>() => skips.add("book", &format!("{error:#}")),
        result => result,
    }
}

/// mdBook is missing and could not be installed.
#[derive(Debug)]
struct NotInstalled;

impl std::fmt::Display for NotInstalled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "mdbook {VERSION} is not installed")
    }
}

/// Returns the path of mdBook in the folder `root`, installing it first if needed.
fn installed(root: &Path) -> Result<PathBuf> {
    let mdbook = root.join("bin/mdbook");
    if has_version(&mdbook) {
        return Ok(mdbook);
    }
    console::line(format!("installing mdbook {VERSION} into {}", root.display()));
    let mut cargo = process::cargo();
    cargo.args(["install", "mdbook", "--version", VERSION, "--locked", "--quiet", "--force"]);
    cargo.args(["--no-default-features", "--features", "search", "--root"]).arg(root);
    process::run(&mut cargo).context(NotInstalled)?;
    Ok(mdbook)
}

fn has_version(mdbook: &Path) -> bool {
    let version = process::stdout_text(process::command(mdbook).arg("--version"));
    version.is_ok_and(|text| text.trim().ends_with(VERSION))
}
