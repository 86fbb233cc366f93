//! TypeScript with JSX.

use crate::language::Table;

pub(super) const TABLE: Table = Table {
    name: "TSX",
    extensions: &["tsx"],
    grammar: tree_sitter_typescript::LANGUAGE_TSX,
    masked: super::typescript::respelled,
    ..super::typescript::TABLE
};
