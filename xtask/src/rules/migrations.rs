//! Migrations are append-only.

use std::collections::BTreeMap;

use super::{Code, Rule};
use crate::workspace::Source;

pub(super) const APPEND_ONLY: Rule = Rule {
    name: "migrations are in order, sealed and applied",
    why: "People's databases were made by the files as they were; an edited one fits no database.",
    check: |code| Ok(violations(code)),
};

const ENGINES: [&str; 2] =
    ["crates/forebay-store/src/sqlite/", "crates/forebay-store/src/postgres/"];

fn violations(code: &Code) -> Vec<String> {
    ENGINES.iter().flat_map(|engine| violations_of(code, engine)).collect()
}

/// What is wrong with the migrations of one engine.
fn violations_of(code: &Code, engine: &str) -> Vec<String> {
    let folder = format!("{engine}migrations/");
    let applied_by = format!("{engine}migrate.rs");
    let files: Vec<(&str, &Source)> = code
        .sources
        .iter()
        .filter_map(|source| Some((source.path.strip_prefix(&folder)?, source)))
        .filter(|(name, _)| *name != "CHECKSUMS")
        .collect();
    let seals = text_of(code, &format!("{folder}CHECKSUMS")).map(seals).unwrap_or_default();
    let applied = text_of(code, &applied_by).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for (index, (name, source)) in files.iter().enumerate() {
        found.extend(misnamed(name, index + 1));
        found.extend(unsealed(name, &source.text, seals.get(name).copied()));
        if !applied.contains(&format!("migrations/{name}")) {
            found.push(format!("{name} is not applied by {applied_by}"));
        }
    }
    let is_gone = |name: &&&str| !files.iter().any(|(file, _)| file == *name);
    found.extend(seals.keys().filter(is_gone).map(|name| format!("{name} was removed")));
    found
}

fn text_of<'a>(code: &'a Code, path: &str) -> Option<&'a str> {
    code.sources.iter().find(|source| source.path == path).map(|source| source.text.as_str())
}

/// The checksum of each file that was sealed; a line is `<blake3>  <name>`.
fn seals(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (name, sum)).collect()
}

/// The file at this place in the order is `NNNN_name.sql`.
fn misnamed(name: &str, place: usize) -> Option<String> {
    let rest =
        name.strip_prefix(&format!("{place:04}_")).and_then(|rest| rest.strip_suffix(".sql"));
    let is_fine = rest.is_some_and(|word| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    });
    (!is_fine).then(|| format!("{name} should be {place:04}_name.sql"))
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

    const FOLDER: &str = "crates/forebay-store/src/postgres/migrations/";
    const SEALS: &str = "crates/forebay-store/src/postgres/migrations/CHECKSUMS";
    const APPLIED_BY: &str = "crates/forebay-store/src/postgres/migrate.rs";

    /// Code with these files in the folder of migrations, all of them applied.
    fn code(files: &[(&str, &str)]) -> Code {
        let applied: String =
            files.iter().map(|(name, _)| format!("migrations/{name}\n")).collect();
        let paths: Vec<(String, &str)> =
            files.iter().map(|(name, text)| (format!("{FOLDER}{name}"), *text)).collect();
        let mut all: Vec<(&str, &str)> =
            paths.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        all.push((APPLIED_BY, &applied));
        Code::of_files(&all)
    }

    fn seal(name: &str, text: &str) -> String {
        format!("{}  {name}\n", blake3::hash(text.as_bytes()).to_hex())
    }

    #[test]
    fn a_sealed_file_in_its_place_is_fine() {
        let seals = seal("0001_first.sql", "CREATE") + &seal("0002_more.sql", "ALTER");
        let files = [
            ("0001_first.sql", "CREATE"),
            ("0002_more.sql", "ALTER"),
            ("CHECKSUMS", seals.as_str()),
        ];
        assert_finds(&APPEND_ONLY, &code(&files), &[]);
    }

    #[test]
    fn an_edited_a_removed_and_an_unsealed_file_are_found() {
        let seals = seal("0001_first.sql", "CREATE") + &seal("0003_gone.sql", "DROP");
        let files = [("0001_first.sql", "CREATE x"), ("0002_new.sql", ""), ("CHECKSUMS", &seals)];
        let found = violations(&code(&files));
        assert!(found[0].starts_with("0001_first.sql was edited"), "{found:?}");
        assert!(found[1].starts_with("0002_new.sql is not in CHECKSUMS"), "{found:?}");
        assert_eq!(found[2..], ["0003_gone.sql was removed"]);
    }

    #[test]
    fn a_gap_and_a_wrong_name_are_found() {
        let seals = seal("0002_late.sql", "") + &seal("0002_late.txt", "");
        let files = [("0002_late.sql", ""), ("0002_late.txt", ""), ("CHECKSUMS", seals.as_str())];
        let expected =
            ["0002_late.sql should be 0001_name.sql", "0002_late.txt should be 0002_name.sql"];
        assert_finds(&APPEND_ONLY, &code(&files), &expected);
    }

    #[test]
    fn a_file_that_is_never_applied_is_found() {
        let seals = seal("0001_first.sql", "");
        let code = Code::of_files(&[
            (&format!("{FOLDER}0001_first.sql"), ""),
            (SEALS, &seals),
            (APPLIED_BY, "const MIGRATIONS: &[Migration] = &[];"),
        ]);
        let expected = [format!("0001_first.sql is not applied by {APPLIED_BY}")];
        assert_finds(&APPEND_ONLY, &code, &expected.each_ref().map(String::as_str));
    }
}
