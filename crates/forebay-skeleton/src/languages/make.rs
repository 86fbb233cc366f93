//! Makefile.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["mk", "mak", "make"],
    files: &["makefile", "gnumakefile"],
    interpreters: &["make"],
    public: |facts| !facts.name.starts_with('.'),
    notation: Notation::HASH,
    closer: "",
    ..Table::new("Makefile", tree_sitter_make::LANGUAGE, include_str!("make.scm"))
};
