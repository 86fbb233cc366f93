//! Agent hosts are data.

use std::collections::BTreeSet;

use anyhow::Result;
use forebay_platforms::{PLATFORMS, Platform};
use regex::Regex;

use super::{Codebase, Rule};
use crate::workspace::Source;

pub(super) const IN_TABLES_ONLY: Rule = Rule {
    name: "only forebay-platforms names agent hosts",
    reason: "What depends on a host is a field of its table, so that a new host is one new file.",
    check: |codebase| {
        let names = names()?;
        Ok(checked(codebase).flat_map(|source| violations(source, &names)).collect())
    },
};

/// Files that may name hosts, and what they name.
const EXCEPTIONS: &[(&str, &str)] = &[
    // Tools that run, measure or describe hosts.
    ("xtask/", ""),
    // The rule syntax is Claude Code's: it protects that host's settings and anchors paths at them.
    ("crates/forebay-policy/", "claude"),
    // It also protects editor settings, whichever agent uses them.
    ("crates/forebay-policy/", "vscode"),
    ("crates/forebay-policy/", "zed"),
    // The function-calling formats of model APIs, one of which shares its name with a host.
    ("crates/forebay/src/doors/functions.rs", "gemini"),
    ("crates/forebay/src/doors/http/openapi.rs", "gemini"),
    ("crates/forebay/src/doors/http/tools.rs", "gemini"),
    // Models, some of which share their names with a host.
    ("crates/forebay-domain/src/billing/prices.rs", ""),
];

/// Names of hosts that are also ordinary words in code; these hosts are found by their folders.
const ORDINARY_WORDS: &[&str] = &["code", "cursor"];

fn checked(codebase: &Codebase) -> impl Iterator<Item = &Source> {
    codebase
        .rust_sources()
        .filter(|source| !source.is_test() && !source.path.starts_with("crates/forebay-platforms/"))
}

fn violations(source: &Source, names: &Regex) -> Vec<String> {
    let find = |(index, line): (usize, &str)| {
        let mut found = names.find_iter(line).map(|found| found.as_str().to_lowercase());
        let name = found.find(|name| !is_exception(&source.path, name))?;
        let name = name.trim_start_matches(['"', '/']).to_owned();
        Some(format!("{}:{} names {name}", source.path, index + 1))
    };
    code_lines(&source.text).filter_map(find).collect()
}

fn is_exception(path: &str, name: &str) -> bool {
    EXCEPTIONS.iter().any(|(start, word)| path.starts_with(start) && name.contains(word))
}

/// The lines of a file with their indices, without comments and the tests at its end.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().enumerate();
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Matches whatever identifies a host: ids, names, programs, folders, variables and instruction files.
fn names() -> Result<Regex> {
    let words: BTreeSet<String> = PLATFORMS.iter().flat_map(|platform| words(platform)).collect();
    let folders: BTreeSet<String> = PLATFORMS
        .iter()
        .flat_map(|platform| platform.detection.folders.iter().chain(platform.instructions.folders))
        .map(|folder| regex::escape(folder))
        .collect();
    let (words, folders) = (join(&words), join(&folders));
    Ok(Regex::new(&format!(r#"(?i)\b(?:{words})(?:\b|_)|["/](?:{folders})\b"#))?)
}

fn join(parts: &BTreeSet<String>) -> String {
    parts.iter().map(String::as_str).collect::<Vec<_>>().join("|")
}

fn words(platform: &Platform) -> Vec<String> {
    let maker = platform.id.split('-').next().into_iter();
    let files = platform.instructions.files.iter().filter(|file| !file.starts_with("AGENTS"));
    let all = [platform.id, platform.name]
        .into_iter()
        .chain(maker)
        .chain(platform.detection.binaries.iter().copied())
        .chain(platform.caller.own_env.iter().chain(platform.session_env).copied())
        .chain(platform.project_env)
        .chain(files.copied());
    let is_distinctive = |word: &&str| !ORDINARY_WORDS.contains(&word.to_lowercase().as_str());
    all.filter(is_distinctive).map(|word| regex::escape(word.trim_start_matches('.'))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_names_of_hosts_in_code() {
        let codebase = Codebase::with_files(&[
            ("crates/forebay/src/a.rs", "//! Reads codex.\nlet cursor = page.cursor;\n"),
            ("crates/forebay/src/b.rs", "if id == \"Codex\" {}\njoin(\".cursor/rules\")\n"),
            ("crates/forebay-app/src/c.rs", "const A: &str = \"QWEN_SESSION_ID\";\n"),
            ("crates/forebay-app/src/d.rs", "use forebay_store::opencode;\n"),
            ("crates/forebay-app/src/e.rs", "fn a() {}\n#[cfg(test)]\nmod tests {\n\"codex\"\n}\n"),
            ("crates/forebay/src/doors/functions.rs", "Gemini,\nKiro,\n"),
            ("crates/forebay/tests/it/x.rs", "\"codex\"\n"),
            ("crates/forebay-platforms/src/x.rs", "\"codex\"\n"),
        ]);
        assert_finds(
            &IN_TABLES_ONLY,
            &codebase,
            &[
                "crates/forebay/src/b.rs:1 names codex",
                "crates/forebay/src/b.rs:2 names .cursor",
                "crates/forebay-app/src/c.rs:1 names qwen_session_id",
                "crates/forebay-app/src/d.rs:1 names opencode",
                "crates/forebay/src/doors/functions.rs:2 names kiro",
            ],
        );
    }
}
