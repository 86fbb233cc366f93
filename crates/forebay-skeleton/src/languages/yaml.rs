//! YAML.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["yaml", "yml"],
    files: &[".clang-format", ".clang-tidy"],
    notation: Notation::HASH,
    closer: "",
    depth: 3,
    is_data: true,
    ..Table::new("YAML", tree_sitter_yaml::LANGUAGE, include_str!("yaml.scm"))
};
