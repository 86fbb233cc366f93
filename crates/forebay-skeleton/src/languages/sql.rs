//! SQL.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["sql", "ddl"],
    notation: Notation::DASHES,
    closer: ")",
    member_blocks: &[("CREATE TABLE x (", ");")],
    ..Table::new("SQL", tree_sitter_sequel::LANGUAGE, include_str!("sql.scm"))
};
