//! Swift.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["swift"],
    public: |facts| {
        !(facts.says("private") || facts.says("fileprivate")) || facts.before.contains("(set)")
    },
    notation: Notation { doc: ("/// ", ""), ..Notation::SLASHES },
    member_blocks: &[("class X {", "}"), ("enum X {", "}"), ("protocol X {", "}")],
    ..Table::new("Swift", tree_sitter_swift::LANGUAGE, include_str!("swift.scm"))
};
