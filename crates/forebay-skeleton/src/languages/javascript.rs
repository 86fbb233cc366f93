//! JavaScript, with JSX.

use crate::language::{LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node", "bun", "deno"],
    is_public,
    plain_name,
    member_contexts: &[("class X {", "}"), ("export default {", "}")],
    imports: Some(crate::imports::JAVASCRIPT),
    ..LanguageSpec::new("JavaScript", forebay_grammars::JAVASCRIPT, QUERY)
};

const QUERY: &str =
    concat!(include_str!("exported_object.scm"), "\n", include_str!("javascript.scm"));

/// Exported items, or all items of a file without named exports; members that are not private.
pub(super) fn is_public(context: &VisibilityContext<'_>) -> bool {
    match context.parent {
        Some((SymbolKind::Module, _)) => true,
        Some(_) => !context.has_modifier("private") && !context.name.starts_with('#'),
        // `declare module "name"` and `declare global` extend the global scope.
        None if context.kind == SymbolKind::Module
            && context.has_modifier("declare")
            && !context.has_modifier("namespace") =>
        {
            true
        }
        None => context.is_exported || !context.file_has_exports || context.has_modifier("export"),
    }
}

/// `exports.a.b` is named `b`; quotes are removed.
pub(super) fn plain_name(captured: &str) -> String {
    let quoted = captured.starts_with(['"', '\'', '{', '[', '(']);
    let name = if quoted { captured } else { captured.rsplit('.').next().unwrap_or(captured) };
    name.trim_matches(['"', '\'']).to_owned()
}
