//! TOML.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["toml"],
    files: &["cargo.lock", "poetry.lock", "uv.lock"],
    notation: Notation::HASH,
    closer: "",
    depth: 3,
    is_data: true,
    is_flat: true,
    ..Table::new("TOML", tree_sitter_toml_ng::LANGUAGE, include_str!("toml.scm"))
};
