//! TypeScript.

use super::javascript::{name_of, public};
use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["ts", "mts", "cts"],
    public,
    name_of,
    member_blocks: &[("class X {", "}"), ("interface X {", "}"), ("enum X {", "}")],
    imports: Some(crate::imports::SCRIPT),
    ..Table::new("TypeScript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, QUERY)
};

/// TSX shares it.
pub(super) const QUERY: &str = include_str!("typescript.scm");
