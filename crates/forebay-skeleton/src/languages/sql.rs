//! SQL.

mod masked;

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["sql", "ddl"],
    name_of: |captured| captured.trim_matches(['"', '`']).to_owned(),
    masked: masked::masked,
    notation: Notation::DASHES,
    closer: ")",
    member_blocks: &[("CREATE TABLE x (", ");"), ("CREATE TABLE x (y INT, ", ");")],
    ..Table::new("SQL", tree_sitter_sequel::LANGUAGE, include_str!("sql.scm"))
};
