//! R.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["r"],
    interpreters: &["rscript"],
    public: |facts| !facts.name.starts_with('.'),
    name_of: |captured| captured.trim_matches(['"', '\'']).to_owned(),
    notation: Notation { doc_marks: &["#'"], ..Notation::HASH },
    ..Table::new("R", tree_sitter_r::LANGUAGE, include_str!("r.scm"))
};
