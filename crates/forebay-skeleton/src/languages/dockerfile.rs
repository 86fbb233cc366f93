//! Dockerfile.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["dockerfile", "containerfile"],
    file_names: &["dockerfile", "containerfile"],
    comment_syntax: CommentSyntax::HASH,
    closer: "",
    is_data: true,
    ..LanguageSpec::new(
        "Dockerfile",
        forebay_grammars::CONTAINERFILE,
        include_str!("dockerfile.scm"),
    )
};
