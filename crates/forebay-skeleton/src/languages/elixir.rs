//! Elixir.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["ex", "exs"],
    interpreters: &["elixir"],
    public: |facts| {
        !["defp", "defmacrop", "defguardp", "typep"].iter().any(|word| facts.says(word))
    },
    vital: |attribute| attribute.starts_with("@spec"),
    notation: Notation { doc: ("# ", ""), doc_marks: &["@doc"], ..Notation::HASH },
    block_end: "end",
    closer: "\nend",
    ..Table::new("Elixir", tree_sitter_elixir::LANGUAGE, include_str!("elixir.scm"))
};
