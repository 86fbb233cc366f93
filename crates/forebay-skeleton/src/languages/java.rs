//! Java.

use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["java"],
    public: |facts| !facts.says("private"),
    member_blocks: &[("class X {", "}"), ("enum X {", "}"), ("interface X {", "}")],
    imports: Some(crate::imports::JAVA),
    ..Table::new("Java", tree_sitter_java::LANGUAGE, include_str!("java.scm"))
};
