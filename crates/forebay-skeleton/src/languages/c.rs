//! C.

use crate::kind::Kind;
use crate::language::{Facts, Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["c", "h"],
    public,
    name_of,
    notation: Notation::PLAIN_SLASHES,
    closer: "};",
    member_blocks: &[("struct x {", "};"), ("enum x {", "};")],
    imports: Some(crate::imports::C),
    ..Table::new("C", tree_sitter_c::LANGUAGE, QUERY)
};

/// C++ builds on it.
pub(super) const QUERY: &str = include_str!("c.scm");

/// `static` keeps a name to its file, unless it is there to be copied into others.
fn public(facts: &Facts<'_>) -> bool {
    let is_file_scope = matches!(facts.kind, Kind::Function | Kind::Variable);
    !is_file_scope || !facts.says("static") || facts.says("inline")
}

/// The name that a declarator declares: what stands before its parameters, sizes and bits.
pub(super) fn name_of(captured: &str) -> String {
    // A pointer to a function has its name in brackets of its own.
    let inner = captured.find("(*").map(|at| &captured[at + 2..]);
    let declarator = inner.unwrap_or(captured);
    let end = declarator.find(['(', '[', ')', ':', '=']).unwrap_or(declarator.len());
    let name = declarator[..end].trim_end();
    let is_outside = |c: char| !(c.is_alphanumeric() || c == '_' || c == '~');
    name.rsplit(is_outside).next().unwrap_or(name).to_owned()
}
