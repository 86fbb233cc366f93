//! CSS.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["css"],
    notation: Notation { remark: ("/* ", " */"), doc: ("/* ", " */"), doc_marks: &["/*"], ..Notation::SLASHES },
    ..Table::new("CSS", tree_sitter_css::LANGUAGE, include_str!("css.scm"))
};
