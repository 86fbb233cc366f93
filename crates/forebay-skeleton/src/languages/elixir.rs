//! Elixir.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["ex", "exs"],
    interpreters: &["elixir"],
    is_public: |context| {
        !["defp", "defmacrop", "defguardp", "typep"].iter().any(|word| context.has_modifier(word))
    },
    is_essential_attribute: |attribute| attribute.starts_with("@spec"),
    comment_syntax: CommentSyntax {
        doc: ("# ", ""),
        doc_prefixes: &["@doc"],
        ..CommentSyntax::HASH
    },
    block_end: "end",
    closer: "\nend",
    ..LanguageSpec::new("Elixir", forebay_grammars::ELIXIR, include_str!("elixir.scm"))
};
