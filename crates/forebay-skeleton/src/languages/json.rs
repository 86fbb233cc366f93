//! JSON.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["json", "jsonc", "geojson", "webmanifest"],
    file_names: &[".babelrc", ".eslintrc"],
    plain_name: |captured| captured.trim_matches('"').to_owned(),
    comment_syntax: CommentSyntax::PLAIN_SLASHES,
    max_depth: 3,
    is_data: true,
    member_contexts: &[("{", "}")],
    ..LanguageSpec::new("JSON", forebay_grammars::JSON, include_str!("json.scm"))
};
