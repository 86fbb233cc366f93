//! Haskell.

use crate::kind::Kind;
use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["hs"],
    public: |facts| {
        facts.exported || !facts.file_exports || facts.parent.is_some() || facts.kind == Kind::Impl
    },
    name_of,
    // A signature, and the equations that it is of.
    joined: &[Kind::Function, Kind::Method, Kind::Constant],
    notation: Notation::DASHES,
    closer: "",
    member_blocks: &[("class X a where\n  ", ""), ("data X where\n  ", "")],
    ..Table::new("Haskell", tree_sitter_haskell::LANGUAGE, include_str!("haskell.scm"))
};

/// Operators are called as in their signatures, in brackets, also where they stand between operands.
fn name_of(captured: &str) -> String {
    let plain = captured.trim_matches('`');
    let is_name = plain.starts_with(|c: char| c.is_alphanumeric() || ['_', '(', '['].contains(&c));
    if is_name { plain.to_owned() } else { format!("({plain})") }
}
