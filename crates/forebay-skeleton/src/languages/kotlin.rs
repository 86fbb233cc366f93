//! Kotlin.

use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["kt", "kts"],
    public: |facts| !facts.says("private"),
    member_block: "class X {",
    ..Table::new("Kotlin", tree_sitter_kotlin_ng::LANGUAGE, include_str!("kotlin.scm"))
};
