//! TOML.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["toml"],
    file_names: &["cargo.lock", "poetry.lock", "uv.lock"],
    comment_syntax: CommentSyntax::HASH,
    closer: "",
    max_depth: 3,
    is_data: true,
    is_flat: true,
    ..LanguageSpec::new("TOML", forebay_grammars::TOML, include_str!("toml.scm"))
};
