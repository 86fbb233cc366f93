//! Zig.

use crate::kind::Kind;
use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["zig"],
    public: |facts| facts.kind == Kind::Field || facts.says("pub"),
    notation: Notation { doc: ("/// ", ""), file_marks: &["//!"], ..Notation::SLASHES },
    member_blocks: &[("const X = struct {", "};"), ("const X = enum {", "};")],
    closer: "};",
    ..Table::new("Zig", tree_sitter_zig::LANGUAGE, include_str!("zig.scm"))
};
