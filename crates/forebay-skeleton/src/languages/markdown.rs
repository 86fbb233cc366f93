//! Markdown.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["md", "markdown"],
    files: &["readme"],
    notation: Notation::ANGLES,
    closer: "",
    is_data: true,
    is_flat: true,
    ..Table::new("Markdown", tree_sitter_md::LANGUAGE, include_str!("markdown.scm"))
};
