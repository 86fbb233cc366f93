//! HTML.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["html", "htm", "xhtml"],
    plain_name: |captured| captured.trim().to_owned(),
    comment_syntax: CommentSyntax::ANGLES,
    is_data: true,
    ..LanguageSpec::new("HTML", forebay_grammars::HTML, include_str!("html.scm"))
};
