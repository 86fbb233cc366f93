//! Migrations are append-only.

use std::collections::{BTreeMap, BTreeSet};

use super::{Codebase, Rule};
use crate::workspace::Source;

pub(super) const APPEND_ONLY: Rule = Rule {
    name: "migrations are numbered, sealed by a checksum, and applied",
    reason: "Existing databases were created by the files as released; an edited one matches no database.",
    check: |codebase| Ok(violations(codebase)),
};

const CHECKSUMS: &str = "CHECKSUMS";

fn violations(codebase: &Codebase) -> Vec<String> {
    folders(codebase).iter().flat_map(|folder| violations_in(codebase, folder)).collect()
}

/// Returns every folder of migrations: `crates/<engine>/.../migrations/`.
fn folders(codebase: &Codebase) -> BTreeSet<&str> {
    let folder = |source: &'_ Source| source.path.rfind('/').map(|slash| slash + 1);
    codebase
        .sources
        .iter()
        .filter_map(|source| Some(&source.path[..folder(source)?]))
        .filter(|path| path.starts_with("crates/") && path.ends_with("/migrations/"))
        .collect()
}

/// Checks the migrations of one engine.
fn violations_in(codebase: &Codebase, folder: &str) -> Vec<String> {
    let applied_by = format!("{}migrate.rs", folder.trim_end_matches("migrations/"));
    let files: Vec<(&str, &Source)> = codebase
        .sources
        .iter()
        .filter_map(|source| Some((source.path.strip_prefix(folder)?, source)))
        .filter(|(name, _)| *name != CHECKSUMS)
        .collect();
    let checksums = find_text(codebase, &format!("{folder}{CHECKSUMS}")).unwrap_or_default();
    let seals = parse_checksums(checksums);
    let applied = find_text(codebase, &applied_by).unwrap_or_default();
    let mut violations: Vec<String> = Vec::new();
    for (index, (name, source)) in files.iter().enumerate() {
        violations.extend(misnamed(name, index + 1));
        violations.extend(unsealed(name, &source.text, seals.get(name).copied()));
        if !applied.contains(&format!("migrations/{name}")) {
            violations.push(format!("{name} is not applied by {applied_by}"));
        }
    }
    let is_missing = |name: &&&str| !files.iter().any(|(file, _)| file == *name);
    violations.extend(seals.keys().filter(is_missing).map(|name| format!("{name} was removed")));
    violations
}

fn find_text<'a>(codebase: &'a Codebase, path: &str) -> Option<&'a str> {
    codebase.sources.iter().find(|source| source.path == path).map(|source| source.text.as_str())
}

/// Parses `CHECKSUMS`: a line is `<blake3>  <name>`.
fn parse_checksums(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (name, sum)).collect()
}

/// Checks that the n-th file is called `NNNN_name.sql`.
fn misnamed(name: &str, number: usize) -> Option<String> {
    let rest =
        name.strip_prefix(&format!("{number:04}_")).and_then(|rest| rest.strip_suffix(".sql"));
    let is_valid = rest.is_some_and(|word| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    });
    (!is_valid).then(|| format!("{name} should be {number:04}_name.sql"))
}

fn unsealed(name: &str, text: &str, seal: Option<&str>) -> Option<String> {
    let sum = blake3::hash(text.as_bytes()).to_hex();
    match seal {
        Some(seal) if seal == sum.as_str() => None,
        Some(_) => Some(format!(
            "{name} was edited: write a new migration (if it was never released, its line is \
             `{sum}  {name}`)"
        )),
        None => Some(format!("{name} is not in CHECKSUMS; its line is `{sum}  {name}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    const FOLDER: &str = "crates/forebay-store-postgres/src/migrations/";
    const SEALS: &str = "crates/forebay-store-postgres/src/migrations/CHECKSUMS";
    const APPLIED_BY: &str = "crates/forebay-store-postgres/src/migrate.rs";

    /// A codebase with these files in the folder of migrations, all of them applied.
    fn codebase(files: &[(&str, &str)]) -> Codebase {
        let applied: String =
            files.iter().map(|(name, _)| format!("migrations/{name}\n")).collect();
        let paths: Vec<(String, &str)> =
            files.iter().map(|(name, text)| (format!("{FOLDER}{name}"), *text)).collect();
        let mut all: Vec<(&str, &str)> =
            paths.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        all.push((APPLIED_BY, &applied));
        Codebase::with_files(&all)
    }

    fn seal(name: &str, text: &str) -> String {
        format!("{}  {name}\n", blake3::hash(text.as_bytes()).to_hex())
    }

    #[test]
    fn sealed_and_numbered_files_pass() {
        let seals = seal("0001_first.sql", "CREATE") + &seal("0002_more.sql", "ALTER");
        let files = [
            ("0001_first.sql", "CREATE"),
            ("0002_more.sql", "ALTER"),
            ("CHECKSUMS", seals.as_str()),
        ];
        assert_finds(&APPEND_ONLY, &codebase(&files), &[]);
    }

    #[test]
    fn finds_edited_removed_and_unsealed_files() {
        let seals = seal("0001_first.sql", "CREATE") + &seal("0003_gone.sql", "DROP");
        let files = [("0001_first.sql", "CREATE x"), ("0002_new.sql", ""), ("CHECKSUMS", &seals)];
        let found = violations(&codebase(&files));
        assert!(found[0].starts_with("0001_first.sql was edited"), "{found:?}");
        assert!(found[1].starts_with("0002_new.sql is not in CHECKSUMS"), "{found:?}");
        assert_eq!(found[2..], ["0003_gone.sql was removed"]);
    }

    #[test]
    fn finds_gaps_and_wrong_names() {
        let seals = seal("0002_late.sql", "") + &seal("0002_late.txt", "");
        let files = [("0002_late.sql", ""), ("0002_late.txt", ""), ("CHECKSUMS", seals.as_str())];
        let expected =
            ["0002_late.sql should be 0001_name.sql", "0002_late.txt should be 0002_name.sql"];
        assert_finds(&APPEND_ONLY, &codebase(&files), &expected);
    }

    #[test]
    fn finds_file_that_is_not_applied() {
        let seals = seal("0001_first.sql", "");
        let codebase = Codebase::with_files(&[
            (&format!("{FOLDER}0001_first.sql"), ""),
            (SEALS, &seals),
            (APPLIED_BY, "const MIGRATIONS: &[Migration] = &[];"),
        ]);
        let expected = [format!("0001_first.sql is not applied by {APPLIED_BY}")];
        assert_finds(&APPEND_ONLY, &codebase, &expected.each_ref().map(String::as_str));
    }
}
