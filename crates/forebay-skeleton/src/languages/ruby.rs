//! Ruby.

use crate::language::{CommentSyntax, LanguageSpec};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["rb", "rake", "gemspec", "ru"],
    file_names: &["gemfile", "rakefile", "podfile", "vagrantfile", "guardfile"],
    interpreters: &["ruby"],
    is_public: |context| context.kind == SymbolKind::Impl || context.section.unwrap_or(true),
    plain_name: |captured| captured.trim_start_matches(':').to_owned(),
    comment_syntax: CommentSyntax::HASH,
    block_end: "end",
    closer: "\nend",
    ..LanguageSpec::new("Ruby", forebay_grammars::RUBY, include_str!("ruby.scm"))
};
