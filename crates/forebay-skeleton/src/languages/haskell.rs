//! Haskell.

use crate::kind::Kind;
use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["hs"],
    public: |facts| facts.exported || !facts.file_exports || facts.parent.is_some() || facts.kind == Kind::Impl,
    notation: Notation::DASHES,
    closer: "",
    member_blocks: &[("class X a where\n  ", "")],
    ..Table::new("Haskell", tree_sitter_haskell::LANGUAGE, include_str!("haskell.scm"))
};
