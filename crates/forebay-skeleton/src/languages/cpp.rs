//! C++.

mod masked;

use crate::kind::Kind;
use crate::language::{Facts, Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "cu", "cuh"],
    public,
    name_of,
    masked: masked::masked,
    section_end: ":",
    notation: Notation::PLAIN_SLASHES,
    closer: "};",
    member_blocks: &[("struct X {", "}"), ("enum X {", "}")],
    imports: Some(crate::imports::C),
    ..Table::new("C++", tree_sitter_cpp::LANGUAGE, QUERY)
};

const QUERY: &str = concat!(include_str!("cpp.scm"), "\n", include_str!("c.scm"));

/// A class hides what stands before its first section, a struct does not.
fn public(facts: &Facts<'_>) -> bool {
    match facts.parent {
        Some((Kind::Class, _)) => facts.section.unwrap_or(false),
        Some((Kind::Struct | Kind::Union, _)) => facts.section.unwrap_or(true),
        Some((Kind::Enum, _)) => true,
        _ => facts.kind == Kind::Class || !facts.says("static") || facts.says("inline"),
    }
}

/// The last part of a qualified name, operators with their sign.
fn name_of(captured: &str) -> String {
    if let Some(at) = captured.find("operator") {
        let end = captured[at..].find('(').map_or(captured.len(), |end| at + end);
        let end =
            if captured[at..].starts_with("operator()") { at + "operator()".len() } else { end };
        return captured[at..end].trim_end().to_owned();
    }
    let end = captured.find(['(', '<', ' ']).filter(|at| *at > 0).unwrap_or(captured.len());
    let name = captured[..end].rsplit("::").next().unwrap_or(captured);
    if name.starts_with(['*', '&']) || end == captured.len() {
        super::c::name_of(captured.rsplit("::").next().unwrap_or(captured))
    } else {
        name.to_owned()
    }
}
