//! R.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["r"],
    interpreters: &["rscript"],
    is_public: |context| !context.name.starts_with('.'),
    plain_name: |captured| captured.trim_matches(['"', '\'']).to_owned(),
    comment_syntax: CommentSyntax { doc_prefixes: &["#'"], ..CommentSyntax::HASH },
    ..LanguageSpec::new("R", forebay_grammars::R, include_str!("r.scm"))
};
