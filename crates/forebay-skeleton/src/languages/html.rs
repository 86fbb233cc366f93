//! HTML.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["html", "htm", "xhtml"],
    name_of: |captured| captured.trim().to_owned(),
    notation: Notation::ANGLES,
    is_data: true,
    ..Table::new("HTML", tree_sitter_html::LANGUAGE, include_str!("html.scm"))
};
