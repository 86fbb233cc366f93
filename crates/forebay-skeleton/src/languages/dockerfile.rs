//! Dockerfile.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["dockerfile", "containerfile"],
    files: &["dockerfile", "containerfile"],
    notation: Notation::HASH,
    closer: "",
    is_data: true,
    ..Table::new("Dockerfile", tree_sitter_containerfile::LANGUAGE, include_str!("dockerfile.scm"))
};
