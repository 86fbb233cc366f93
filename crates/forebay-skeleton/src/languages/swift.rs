//! Swift.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["swift"],
    is_public: |context| {
        !(context.has_modifier("private") || context.has_modifier("fileprivate"))
            || context.modifiers.contains("(set)")
    },
    comment_syntax: CommentSyntax { doc: ("/// ", ""), ..CommentSyntax::SLASHES },
    member_contexts: &[("class X {", "}"), ("enum X {", "}"), ("protocol X {", "}")],
    ..LanguageSpec::new("Swift", forebay_grammars::SWIFT, include_str!("swift.scm"))
};
