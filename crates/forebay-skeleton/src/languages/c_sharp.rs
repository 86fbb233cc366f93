//! C#.

use crate::language::{CommentSyntax, LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["cs", "csx"],
    is_public,
    comment_syntax: CommentSyntax { doc: ("/// ", ""), ..CommentSyntax::SLASHES },
    member_contexts: &[("class X {", "}"), ("enum X {", "}")],
    ..LanguageSpec::new("C#", forebay_grammars::C_SHARP, include_str!("c_sharp.scm"))
};

/// Members are private by default; types and interface members are public.
fn is_public(context: &VisibilityContext<'_>) -> bool {
    match context.parent {
        Some((SymbolKind::Class | SymbolKind::Struct, _)) => {
            ["public", "protected", "internal"].iter().any(|word| context.has_modifier(word))
        }
        _ => !context.has_modifier("private"),
    }
}
