//! C++.

mod normalize;

use crate::language::{CommentSyntax, LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "cu", "cuh"],
    is_public,
    plain_name,
    normalize: normalize::normalize,
    section_end: ":",
    comment_syntax: CommentSyntax::PLAIN_SLASHES,
    closer: "};",
    member_contexts: &[("struct X {", "}"), ("enum X {", "}")],
    imports: Some(crate::imports::C),
    ..LanguageSpec::new("C++", forebay_grammars::CPP, QUERY)
};

const QUERY: &str = concat!(include_str!("cpp.scm"), "\n", include_str!("c.scm"));

/// Members before the first section label are private in a class and public in a struct.
fn is_public(context: &VisibilityContext<'_>) -> bool {
    match context.parent {
        Some((SymbolKind::Class, _)) => context.section.unwrap_or(false),
        Some((SymbolKind::Struct | SymbolKind::Union, _)) => context.section.unwrap_or(true),
        Some((SymbolKind::Enum, _)) => true,
        _ => {
            context.kind == SymbolKind::Class
                || !context.has_modifier("static")
                || context.has_modifier("inline")
        }
    }
}

/// Returns the last segment of a qualified name; operators keep their symbol.
fn plain_name(captured: &str) -> String {
    if let Some(at) = captured.find("operator") {
        let end = captured[at..].find('(').map_or(captured.len(), |end| at + end);
        let end =
            if captured[at..].starts_with("operator()") { at + "operator()".len() } else { end };
        return captured[at..end].trim_end().to_owned();
    }
    let end = captured.find(['(', '<', ' ']).filter(|at| *at > 0).unwrap_or(captured.len());
    let name = captured[..end].rsplit("::").next().unwrap_or(captured);
    if name.starts_with(['*', '&']) || end == captured.len() {
        super::c::plain_name(captured.rsplit("::").next().unwrap_or(captured))
    } else {
        name.to_owned()
    }
}
