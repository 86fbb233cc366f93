//! Kotlin.

use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["kt", "kts"],
    public: |facts| !facts.says("private"),
    member_blocks: &[("class X {", "}"), ("enum class X {", "}")],
    ..Table::new("Kotlin", tree_sitter_kotlin_ng::LANGUAGE, include_str!("kotlin.scm"))
};
