//! Builds `docs/` as HTML with mdBook.

use anyhow::{Context, Result, ensure};

use crate::test::Skips;
use crate::tools::{self, NotInstalled};
use crate::workspace::Metadata;
use crate::{console, process, workspace};

/// Builds the book into `target/book`; installs mdBook if it is missing.
pub(super) fn build() -> Result<()> {
    let mdbook = tools::install(&tools::MDBOOK)?;
    let book = Metadata::read()?.target_directory.join("book");
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
