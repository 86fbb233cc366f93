//! Go.

use crate::language::{CommentSyntax, LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["go"],
    is_public,
    plain_name,
    keywords: &[
        (SymbolKind::Struct, "type "),
        (SymbolKind::Interface, "type "),
        (SymbolKind::Type, "type "),
        (SymbolKind::Constant, "const "),
        (SymbolKind::Variable, "var "),
    ],
    comment_syntax: CommentSyntax::PLAIN_SLASHES,
    member_contexts: &[("type X struct {", "}"), ("type (", ")"), ("const (", ")"), ("var (", ")")],
    imports: Some(crate::imports::GO),
    ..LanguageSpec::new("Go", forebay_grammars::GO, include_str!("go.scm"))
};

/// Capitalized names, and the types of a constraint interface.
fn is_public(context: &VisibilityContext<'_>) -> bool {
    let is_constraint =
        context.kind == SymbolKind::Field && context.has_parent_kind(&[SymbolKind::Interface]);
    is_constraint || context.name.chars().next().is_some_and(char::is_uppercase)
}

/// Returns the name of a type without pointer, package and type arguments.
fn plain_name(captured: &str) -> String {
    let plain = captured.trim_start_matches('*').split('[').next().unwrap_or(captured);
    plain.rsplit('.').next().unwrap_or(plain).to_owned()
}
