//! Kotlin.

use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["kt", "kts"],
    public: |facts| !facts.says("private"),
    masked: ended,
    member_blocks: &[("class X {", "}"), ("enum class X {", "}")],
    ..Table::new("Kotlin", tree_sitter_kotlin_ng::LANGUAGE, include_str!("kotlin.scm"))
};

/// The grammar's scanner looks for the end of an annotation's line without regard for the end of the
/// text, for ever: every text ends with a line.
fn ended(source: &str) -> Option<String> {
    (!source.ends_with('\n')).then(|| format!("{source}\n"))
}
