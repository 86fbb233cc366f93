//! Zig.

use crate::kind::Kind;
use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["zig"],
    public: |facts| facts.kind == Kind::Field || facts.says("pub") || facts.says("export"),
    notation: Notation { doc: ("/// ", ""), file_marks: &["//!"], ..Notation::SLASHES },
    member_blocks: &[("const X = struct {", "};"), ("const X = enum {", "};")],
    closer: "};",
    masked,
    ..Table::new("Zig", tree_sitter_zig::LANGUAGE, include_str!("zig.scm"))
};

/// Types with nothing in them become a value: the grammar asks for something.
fn masked(source: &str) -> Option<String> {
    const EMPTY: &[&str] = &["opaque {}", "struct {}"];
    let is_there = EMPTY.iter().any(|word| source.contains(word));
    is_there
        .then(|| EMPTY.iter().fold(source.to_owned(), |text, word| text.replace(word, "undefined")))
}
