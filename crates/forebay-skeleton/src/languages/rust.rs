//! Rust.

use crate::language::{CommentSyntax, LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["rs"],
    interpreters: &["rust-script"],
    is_public,
    plain_name,
    shows_attribute,
    hides_item: |shows_attribute| {
        shows_attribute.contains("cfg(test") || shows_attribute.contains("cfg(all(test")
    },
    comment_syntax: CommentSyntax {
        doc: ("/// ", ""),
        module_doc_prefixes: &["//!", "/*!"],
        ..CommentSyntax::SLASHES
    },
    member_contexts: &[("struct X {", "}"), ("enum X {", "}"), ("trait X {", "}")],
    imports: Some(crate::imports::RUST),
    ..LanguageSpec::new("Rust", forebay_grammars::RUST, include_str!("rust.scm"))
};

/// Everything marked `pub`, including `pub(crate)`: other files may use it.
fn is_public(context: &VisibilityContext<'_>) -> bool {
    match context.kind {
        SymbolKind::Variant | SymbolKind::Impl => true,
        // A macro call has no name and the visibility of its parent.
        SymbolKind::Macro if context.name.is_empty() => {
            context.parent.is_none_or(|(_, is_public)| is_public)
        }
        SymbolKind::Macro => context.is_exported,
        _ if context.has_parent_kind(&[
            SymbolKind::Trait,
            SymbolKind::Variant,
            SymbolKind::Module,
        ]) && context.modifiers.starts_with("extern") =>
        {
            true
        }
        _ if context.has_parent_kind(&[SymbolKind::Trait]) => true,
        _ => context.has_modifier("pub"),
    }
}

/// Returns the name of a type without path, arguments and references.
fn plain_name(captured: &str) -> String {
    let plain = captured.trim_start_matches(['&', '*', '(', '[']);
    let plain = ["mut ", "const ", "dyn "]
        .iter()
        .fold(plain, |name, word| name.strip_prefix(word).unwrap_or(name));
    let plain = plain.split('<').next().unwrap_or(plain);
    plain.rsplit("::").next().unwrap_or(plain).trim().to_owned()
}

/// Attributes that change how an item is used; those that only concern the compiler are omitted.
fn shows_attribute(text: &str) -> bool {
    // Attributes that set the name of a value in its serialized form.
    const SERIALIZED_NAMES: &[&str] = &["rename", "tag", "flatten", "alias"];
    const OMITTED: &[&str] = &[
        "allow",
        "expect",
        "warn",
        "deny",
        "forbid",
        "doc",
        "inline",
        "cold",
        "track_caller",
        "rustfmt",
        "clippy",
        "cfg_attr",
        "test",
        "ignore",
        "automatically_derived",
        "optimize",
        "stable",
        "unstable",
        "rustc",
    ];
    let name = text.trim_start_matches(['#', '[', '!', ' ']);
    let name = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    if name == "serde" {
        return SERIALIZED_NAMES.iter().any(|word| text.contains(word));
    }
    !OMITTED.iter().any(|omitted| name == *omitted || name.starts_with("rustc_"))
}
