//! Markdown.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["md", "markdown"],
    file_names: &["readme"],
    comment_syntax: CommentSyntax::ANGLES,
    closer: "",
    is_data: true,
    is_flat: true,
    ..LanguageSpec::new("Markdown", forebay_grammars::MARKDOWN, include_str!("markdown.scm"))
};
