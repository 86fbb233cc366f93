//! `cargo xtask docs`: writes the reference from what the program says of itself.

mod cli;
mod digests;
mod platforms;
mod settings;
mod tools;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{say, workspace};

/// Write docs/reference from the program
#[derive(Debug, Args)]
pub(crate) struct Docs {
    /// Write nothing; fail when a file is out of date
    #[arg(long)]
    check: bool,
}

/// A page of the reference, as it should be.
struct Page {
    name: &'static str,
    text: String,
}

impl Docs {
    pub(crate) fn carry_out(self) -> Result<()> {
        if self.check { check() } else { write() }
    }
}

/// Compares the reference with the program.
pub(crate) fn check() -> Result<()> {
    let differs = |page: &Page| fs::read_to_string(page.path()).ok().as_ref() != Some(&page.text);
    let pages = pages()?;
    let outdated: Vec<&str> =
        pages.iter().filter(|page| differs(page)).map(|page| page.name).collect();
    if !outdated.is_empty() {
        bail!("out of date in docs/reference: {}; run `cargo xtask docs`", outdated.join(", "));
    }
    say::line(format!("{} pages of docs/reference are up to date", pages.len()));
    Ok(())
}

fn write() -> Result<()> {
    for page in pages()? {
        let path = page.path();
        fs::create_dir_all(path.with_file_name(""))?;
        fs::write(&path, &page.text).with_context(|| path.display().to_string())?;
        say::line(format!("wrote docs/reference/{}", page.name));
    }
    Ok(())
}

impl Page {
    fn path(&self) -> PathBuf {
        workspace::root().join("docs/reference").join(self.name)
    }
}

fn pages() -> Result<Vec<Page>> {
    Ok(vec![
        Page { name: "cli.md", text: cli::page(&workspace::build_forebay("dev")?)? },
        Page { name: "tools.md", text: tools::page()? },
        Page { name: "settings.md", text: settings::page()? },
        Page { name: "digests.md", text: digests::page()? },
        Page { name: "platforms.md", text: platforms::page() },
    ])
}

/// The line that keeps people from editing a page.
const GENERATED: &str = "<!-- Written by `cargo xtask docs`; edits are lost. -->";

/// A cell of a table: one line, with nothing in it that ends the cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A table in markdown.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.iter().map(|&word| word.to_owned()).collect());
    text.push_str(&format!("|{}\n", "---|".repeat(head.len())));
    text.extend(rows.iter().map(|row| line(row.iter().map(|text| cell(text)).collect())));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_ends_it() {
        let rows = [vec!["a|b".to_owned(), "two\nlines".to_owned()]];
        assert_eq!(table(&["x", "y"], &rows), "| x | y |\n|---|---|\n| a\\|b | two lines |\n");
    }
}
