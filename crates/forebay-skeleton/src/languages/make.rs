//! Makefile.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["mk", "mak", "make"],
    file_names: &["makefile", "gnumakefile"],
    interpreters: &["make"],
    is_public: |context| !context.name.starts_with('.'),
    comment_syntax: CommentSyntax::HASH,
    closer: "",
    ..LanguageSpec::new("Makefile", forebay_grammars::MAKE, include_str!("make.scm"))
};
