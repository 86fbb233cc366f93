//! C.

use crate::language::{CommentSyntax, LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["c", "h"],
    is_public,
    plain_name,
    comment_syntax: CommentSyntax::PLAIN_SLASHES,
    closer: "};",
    member_contexts: &[("struct x {", "};"), ("enum x {", "};")],
    imports: Some(crate::imports::C),
    ..LanguageSpec::new("C", forebay_grammars::C, QUERY)
};

/// C++ extends it.
pub(super) const QUERY: &str = include_str!("c.scm");

/// `static` makes a name private to its file, except for inline functions in headers.
fn is_public(context: &VisibilityContext<'_>) -> bool {
    let is_file_scope = matches!(context.kind, SymbolKind::Function | SymbolKind::Variable);
    !is_file_scope || !context.has_modifier("static") || context.has_modifier("inline")
}

/// Returns the name that a declarator declares, without parameters, array sizes and bit widths.
pub(super) fn plain_name(captured: &str) -> String {
    // The name of a function pointer is in parentheses.
    let inner = captured.find("(*").map(|at| &captured[at + 2..]);
    let declarator = inner.unwrap_or(captured);
    let end = declarator.find(['(', '[', ')', ':', '=']).unwrap_or(declarator.len());
    let name = declarator[..end].trim_end();
    let is_outside = |c: char| !(c.is_alphanumeric() || c == '_' || c == '~');
    name.rsplit(is_outside).next().unwrap_or(name).to_owned()
}
