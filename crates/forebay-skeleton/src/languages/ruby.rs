//! Ruby.

use crate::kind::Kind;
use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["rb", "rake", "gemspec", "ru"],
    files: &["gemfile", "rakefile", "podfile", "vagrantfile", "guardfile"],
    interpreters: &["ruby"],
    public: |facts| facts.kind == Kind::Impl || facts.section.unwrap_or(true),
    name_of: |captured| captured.trim_start_matches(':').to_owned(),
    notation: Notation::HASH,
    block_end: "end",
    closer: "\nend",
    ..Table::new("Ruby", tree_sitter_ruby::LANGUAGE, include_str!("ruby.scm"))
};
