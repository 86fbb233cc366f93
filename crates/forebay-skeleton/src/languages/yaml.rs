//! YAML.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["yaml", "yml"],
    file_names: &[".clang-format", ".clang-tidy"],
    comment_syntax: CommentSyntax::HASH,
    closer: "",
    max_depth: 3,
    is_data: true,
    ..LanguageSpec::new("YAML", forebay_grammars::YAML, include_str!("yaml.scm"))
};
