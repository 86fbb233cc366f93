//! Haskell.

use crate::language::{CommentSyntax, LanguageSpec};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["hs"],
    is_public: |context| {
        context.is_exported
            || !context.file_has_exports
            || context.parent.is_some()
            || context.kind == SymbolKind::Impl
    },
    plain_name,
    // A type signature and its equations.
    merged_kinds: &[SymbolKind::Function, SymbolKind::Method, SymbolKind::Constant],
    comment_syntax: CommentSyntax::DASHES,
    closer: "",
    member_contexts: &[("class X a where\n  ", ""), ("data X where\n  ", "")],
    ..LanguageSpec::new("Haskell", forebay_grammars::HASKELL, include_str!("haskell.scm"))
};

/// Operators are named in parentheses, as in their signatures, also in infix definitions.
fn plain_name(captured: &str) -> String {
    let plain = captured.trim_matches('`');
    let is_name = plain.starts_with(|c: char| c.is_alphanumeric() || ['_', '(', '['].contains(&c));
    if is_name { plain.to_owned() } else { format!("({plain})") }
}
