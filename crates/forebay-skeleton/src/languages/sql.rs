//! SQL.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["sql", "ddl"],
    name_of: |captured| captured.trim_matches(['"', '`']).to_owned(),
    masked,
    notation: Notation::DASHES,
    closer: ")",
    member_blocks: &[("CREATE TABLE x (", ");"), ("CREATE TABLE x (y INT, ", ");")],
    ..Table::new("SQL", tree_sitter_sequel::LANGUAGE, include_str!("sql.scm"))
};

/// Spells keys that are named before they are told, `CONSTRAINT a UNIQUE (b)`, with the name behind, as the
/// grammar knows them: `UNIQUE a (b)`.
fn masked(source: &str) -> Option<String> {
    const NAMED: &str = "constraint";
    let mut copy: Option<String> = None;
    let lower = source.to_ascii_lowercase();
    for (start, _) in lower.match_indices(NAMED) {
        let name = start + NAMED.len();
        let Some((key, length)) = key_after_name(&lower[name..]) else { continue };
        let copy = copy.get_or_insert_with(|| source.to_owned());
        copy.replace_range(start..name, &format!("{:width$}", key.0, width = NAMED.len()));
        copy.replace_range(name + length - key.1.len()..name + length, &" ".repeat(key.1.len()));
    }
    copy
}

/// How the grammar calls a key and how it is written, with where it ends in the text from its name on.
fn key_after_name(text: &str) -> Option<((&'static str, &'static str), usize)> {
    const KEYS: &[(&str, &str)] = &[("unique", "unique"), ("key", "foreign key")];
    let name = text.strip_prefix(char::is_whitespace)?.trim_start();
    let rest = name[name.find(char::is_whitespace)?..].trim_start();
    let key = KEYS.iter().find(|(_, written)| rest.starts_with(written))?;
    Some((*key, text.len() - rest.len() + key.1.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(masked(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn keys_are_named_behind() {
        check("CONSTRAINT a UNIQUE (b)", "unique     a        (b)");
        check("constraint a\n  Foreign Key (b)", "key        a\n              (b)");
        check("CONSTRAINT a CHECK (b)", "CONSTRAINT a CHECK (b)");
        check("CONSTRAINT", "CONSTRAINT");
    }
}
