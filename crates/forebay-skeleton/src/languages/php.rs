//! PHP.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["php", "phtml", "php5", "phps"],
    interpreters: &["php"],
    // `private(set)` restricts only writing.
    is_public: |context| {
        !context.has_modifier("private") || context.modifiers.contains("private(set)")
    },
    plain_name: |captured| captured.trim_start_matches('$').to_owned(),
    comment_syntax: CommentSyntax { doc_prefixes: &["/**"], ..CommentSyntax::SLASHES },
    prologue: "<?php ",
    member_contexts: &[("class X {", "}"), ("enum X {", "}")],
    ..LanguageSpec::new("PHP", forebay_grammars::PHP, include_str!("php.scm"))
};
