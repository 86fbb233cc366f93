//! Rust.

use crate::kind::Kind;
use crate::language::{Facts, Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["rs"],
    interpreters: &["rust-script"],
    public,
    name_of,
    attribute,
    hides: |attribute| attribute.contains("cfg(test") || attribute.contains("cfg(all(test"),
    notation: Notation { doc: ("/// ", ""), file_marks: &["//!", "/*!"], ..Notation::SLASHES },
    member_blocks: &[("struct X {", "}"), ("enum X {", "}"), ("trait X {", "}")],
    imports: Some(crate::imports::RUST),
    ..Table::new("Rust", tree_sitter_rust::LANGUAGE, include_str!("rust.scm"))
};

/// Whatever says `pub`, also to its crate only: other files may use it.
fn public(facts: &Facts<'_>) -> bool {
    match facts.kind {
        Kind::Variant | Kind::Impl => true,
        // A call has no name of its own, and is as public as what it stands in.
        Kind::Macro if facts.name.is_empty() => facts.parent.is_none_or(|(_, public)| public),
        Kind::Macro => facts.exported,
        _ if facts.is_in(&[Kind::Trait, Kind::Variant, Kind::Module])
            && facts.before.starts_with("extern") =>
        {
            true
        }
        _ if facts.is_in(&[Kind::Trait]) => true,
        _ => facts.says("pub"),
    }
}

/// The name of a type without its path, its arguments and its references.
fn name_of(captured: &str) -> String {
    let plain = captured.trim_start_matches(['&', '*', '(', '[']);
    let plain = ["mut ", "const ", "dyn "]
        .iter()
        .fold(plain, |name, word| name.strip_prefix(word).unwrap_or(name));
    let plain = plain.split('<').next().unwrap_or(plain);
    plain.rsplit("::").next().unwrap_or(plain).trim().to_owned()
}

/// Attributes that change how an item is used; those for the compiler's eyes are left out.
fn attribute(text: &str) -> bool {
    // What a value is called where it is written down.
    const ON_THE_WIRE: &[&str] = &["rename", "tag", "flatten", "alias"];
    const SILENT: &[&str] = &[
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
        return ON_THE_WIRE.iter().any(|word| text.contains(word));
    }
    !SILENT.iter().any(|silent| name == *silent || name.starts_with("rustc_"))
}
