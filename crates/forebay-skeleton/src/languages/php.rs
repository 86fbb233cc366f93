//! PHP.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["php", "phtml", "php5", "phps"],
    interpreters: &["php"],
    // Who may set a property is said apart from who sees it.
    public: |facts| !facts.says("private") || facts.before.contains("private(set)"),
    name_of: |captured| captured.trim_start_matches('$').to_owned(),
    notation: Notation { doc_marks: &["/**"], ..Notation::SLASHES },
    prologue: "<?php ",
    member_blocks: &[("class X {", "}"), ("enum X {", "}")],
    ..Table::new("PHP", tree_sitter_php::LANGUAGE_PHP, include_str!("php.scm"))
};
