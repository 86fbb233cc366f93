//! Scala.

use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["scala", "sc", "sbt"],
    public: |facts| !facts.says("private"),
    member_blocks: &[("class X {", "}"), ("enum X {", "}")],
    ..Table::new("Scala", tree_sitter_scala::LANGUAGE, include_str!("scala.scm"))
};
