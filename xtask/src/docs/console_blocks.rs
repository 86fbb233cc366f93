//! Runs the `console` blocks of the documentation and updates the output they show.
//!
//! The blocks of a page run in order, in a new project with its own home folder. A comment `<!-- setup ... -->`
//! contains shell lines that run at its position and are not shown;
//! `$DOCS` is the folder of the documentation there. References, times and the like differ each
//! time: a block keeps its text as long as nothing else changed, and the references of a page never change.
//!
//! A page whose output depends on the machine has a comment `<!-- runs if <command> -->`: where the command fails, the
//! page is neither run nor compared.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use regex::Regex;
use tempfile::TempDir;

use super::Generated;
use super::links::is_markdown;
use crate::{console, process, workspace};

const OPENING: &str = "```console";
const CLOSING: &str = "```";
/// Encloses a block that shows how to write one; it is not run.
const LONG_FENCE: &str = "````";
const SETUP: &str = "<!-- setup";
const SETUP_END: &str = "-->";
const CONDITION: &str = "<!-- runs if ";
const PROMPT: &str = "$ ";

/// The home folder that readers see.
const SHOWN_HOME: &str = "/home/alice";
const SHOWN_BIN: &str = "/usr/local/bin";

/// Fields that differ each time a command runs.
const VOLATILE: &str = r"(?xm)
    (?:ctx:|ctx_get\ |forebay\ get\ )[a-z0-9]{10}   # references
    | -(?:>|&gt;)\ [0-9,]+                          # tokens of the answer: it contains the duration
    | \b[0-9][0-9.,]*\ ?(?:ms|s|min)\b              # durations
    | \b[0-9]+\ [a-z]+\ ago\b                        # ages
    | \b[0-9]{4}-[0-9]{2}-[0-9]{2}\b                # dates
    | \([0-9]+\)                                    # thread ids
    | -[0-9a-f]{16}\b                               # hashes of cargo
    | (?:\ +-?[0-9][0-9,]*){4}$                      # counts of tokens, in a table
    | \b[0-9.]+\ [KM]B\b                            # sizes of databases
    | \bjust\ now\b";

/// Returns every page with console blocks, with their output as it is now.
pub(super) fn pages(forebay: &Path) -> Result<Vec<Generated>> {
    let mut pages = Vec::new();
    for source in workspace::sources()? {
        let is_page = source.path.starts_with("docs/") && is_markdown(&source.path);
        if !is_page || !source.text.contains(OPENING) {
            continue;
        }
        let text = refreshed(&source.text, forebay).with_context(|| source.path.clone())?;
        let Some(text) = text else {
            console::line(format!("{} was not run: its condition fails here", source.path));
            continue;
        };
        pages.push(Generated { path: source.path, text });
    }
    Ok(pages)
}

/// Replaces fields that differ each time a command runs.
pub(super) fn masked(text: &str) -> Result<String> {
    Ok(Regex::new(VOLATILE)?.replace_all(text, "#").into_owned())
}

/// Runs all blocks of a page; returns `None` if its condition fails.
fn refreshed(text: &str, forebay: &Path) -> Result<Option<String>> {
    let mut project = DocProject::new(forebay)?;
    if let Some(condition) = condition(text)
        && project.set_up(condition).is_err()
    {
        return Ok(None);
    }
    let mut page = String::with_capacity(text.len());
    let mut is_quoted = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        page.push_str(line);
        page.push('\n');
        is_quoted ^= line.starts_with(LONG_FENCE);
        let closing = match line {
            _ if is_quoted => continue,
            OPENING => CLOSING,
            SETUP => SETUP_END,
            _ => continue,
        };
        let body = lines.by_ref().take_while(|line| *line != closing);
        let body: String = body.map(|line| format!("{line}\n")).collect();
        if line == SETUP {
            project.set_up(&body)?;
            page.push_str(&body);
        } else {
            page.push_str(&project.run_block(&body)?);
        }
        page.push_str(closing);
        page.push('\n');
    }
    Ok(Some(page))
}

/// Returns the command that decides whether a page runs here.
fn condition(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix(CONDITION)?.strip_suffix(SETUP_END))
}

/// A home folder with a project, in which the commands of one page run.
struct DocProject {
    folder: TempDir,
    binaries: PathBuf,
    /// References of the page, each with the one that stands for it in this project.
    references: Vec<(String, String)>,
    reference: Regex,
}

impl DocProject {
    fn new(forebay: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("shop"))?;
        Ok(Self {
            folder,
            binaries: forebay.with_file_name(""),
            references: Vec::new(),
            reference: Regex::new("(?:ctx:|ctx_get )([a-z0-9]{10})")?,
        })
    }

    fn set_up(&self, script: &str) -> Result<()> {
        self.run(&format!("set -e\n{script}"), true).map(drop)
    }

    /// Runs the commands of a block; returns the block, unchanged if only volatile fields differ.
    fn run_block(&mut self, block: &str) -> Result<String> {
        let mut fresh = String::new();
        for (command, recorded) in commands(block) {
            let output = self.run(&self.to_stage(&command), false)?;
            self.learn(&recorded, &output);
            fresh.push_str(&format!("{PROMPT}{command}\n{}", self.to_page(&output)));
            if !fresh.ends_with('\n') {
                fresh.push('\n');
            }
        }
        Ok(if masked(&fresh)? == masked(block)? { block.to_owned() } else { fresh })
    }

    fn run(&self, script: &str, must_succeed: bool) -> Result<String> {
        let home = self.folder.path();
        let mut sh = process::command("sh");
        sh.args(["-c", &format!("exec 2>&1\n{script}")]);
        sh.current_dir(home.join("shop")).stdin(Stdio::null()).env_clear();
        sh.env("HOME", home).env("PATH", self.search_path()?).env("USER", "ann");
        sh.env("DOCS", workspace::root().join("docs"));
        sh.envs([("LANG", "C.UTF-8"), ("NO_COLOR", "1"), ("COLUMNS", "100")]);
        sh.envs([("RUST_TEST_THREADS", "1"), ("CARGO_TERM_PROGRESS_WHEN", "never")]);
        sh.envs(toolchain());
        let output = sh.output().with_context(|| format!("cannot run {script}"))?;
        let text = String::from_utf8(output.stdout)?;
        if must_succeed && !output.status.success() {
            bail!("setup failed ({}):\n{script}\n{text}", output.status);
        }
        Ok(text)
    }

    fn search_path(&self) -> Result<std::ffi::OsString> {
        let inherited = env::var_os("PATH").unwrap_or_default();
        let folders = [self.binaries.clone()].into_iter().chain(env::split_paths(&inherited));
        Ok(env::join_paths(folders)?)
    }

    /// Pairs new references of an output with those that the page shows.
    fn learn(&mut self, recorded: &str, output: &str) {
        let known = |text: &str, pairs: &[(String, String)]| {
            pairs.iter().any(|(page, project)| page == text || project == text)
        };
        let unknown = |text: &str| -> Vec<String> {
            let mut found: Vec<String> = Vec::new();
            for captures in self.reference.captures_iter(text) {
                let name = captures[1].to_owned();
                if !known(&name, &self.references) && !found.contains(&name) {
                    found.push(name);
                }
            }
            found
        };
        let pairs: Vec<_> = unknown(recorded).into_iter().zip(unknown(output)).collect();
        self.references.extend(pairs);
    }

    fn to_stage(&self, command: &str) -> String {
        self.references
            .iter()
            .fold(command.to_owned(), |text, (page, project)| text.replace(page, project))
    }

    fn to_page(&self, output: &str) -> String {
        let folder = self.folder.path().to_string_lossy();
        let binaries = self.binaries.to_string_lossy();
        let text = output
            .replace(folder.as_ref(), SHOWN_HOME)
            .replace(binaries.trim_end_matches('/'), SHOWN_BIN);
        self.references.iter().fold(text, |text, (page, project)| text.replace(project, page))
    }
}

/// Where the Rust toolchain is, which is below the real home folder.
fn toolchain() -> Vec<(&'static str, PathBuf)> {
    let home = PathBuf::from(env::var_os("HOME").unwrap_or_default());
    [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")]
        .into_iter()
        .map(|(name, folder)| {
            (name, env::var_os(name).map_or_else(|| home.join(folder), PathBuf::from))
        })
        .collect()
}

/// Splits a block into commands and their recorded output. A command goes on after a `\` at the end of a line.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in block.lines() {
        match (line.strip_prefix(PROMPT), commands.last_mut()) {
            (None, Some((command, _))) if is_open => command.push_str(&format!("\n{line}")),
            (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, None) => {}
        }
        is_open = (is_open || line.starts_with(PROMPT)) && line.ends_with('\\');
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refresh(page: &str) -> String {
        refreshed(page, Path::new("/nowhere/forebay")).unwrap().unwrap()
    }

    #[test]
    fn replaces_outdated_output() {
        let page = "# A\n\n<!-- setup\necho one > file\n-->\n\n```console\n$ cat file\ntwo\n$ echo \\\n  b\n```\n\nend\n";
        let fresh = page.replace("two\n", "one\n").replace("  b\n```", "  b\nb\n```");
        assert_eq!(refresh(page), fresh);
    }

    #[test]
    fn does_not_run_a_quoted_block() {
        let page = "````text\n```console\n$ echo one\ntwo\n```\n````\n";
        assert_eq!(refresh(page), page);
    }

    #[test]
    fn keeps_output_that_differs_in_volatile_fields_only() {
        let page = "```console\n$ echo '[ctx:aaaaaaaaa1] exit 0 · 2 ms'\n[ctx:bbbbbbbbb2] exit 0 · 17 ms\n```\n";
        assert_eq!(refresh(page), page);
    }

    #[test]
    fn keeps_the_references_of_the_page() {
        let page = "```console\n$ echo '[ctx:aaaaaaaaa1] old'\n[ctx:bbbbbbbbb2] new\n$ echo bbbbbbbbb2\n```\n";
        let fresh = "```console\n$ echo '[ctx:aaaaaaaaa1] old'\n[ctx:bbbbbbbbb2] old\n$ echo bbbbbbbbb2\nbbbbbbbbb2\n```\n";
        assert_eq!(refresh(page), fresh);
    }

    #[test]
    fn skips_a_page_whose_condition_fails() {
        let page = |condition: &str| {
            let page = format!("<!-- runs if {condition} -->\n");
            refreshed(&page, Path::new("/nowhere/forebay")).unwrap()
        };
        assert_eq!(page("false"), None);
        assert_eq!(page("true"), Some("<!-- runs if true -->\n".to_owned()));
    }

    #[test]
    fn fails_if_a_setup_fails() {
        let error =
            refreshed("<!-- setup\nfalse\n-->\n", Path::new("/nowhere/forebay")).unwrap_err();
        assert!(error.to_string().contains("setup failed"), "{error}");
    }
}
