//! C#.

use crate::kind::Kind;
use crate::language::{Facts, Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["cs", "csx"],
    public,
    notation: Notation { doc: ("/// ", ""), ..Notation::SLASHES },
    member_blocks: &[("class X {", "}"), ("enum X {", "}")],
    ..Table::new("C#", tree_sitter_c_sharp::LANGUAGE, include_str!("c_sharp.scm"))
};

/// Members are private unless they say otherwise; types and parts of interfaces are not.
fn public(facts: &Facts<'_>) -> bool {
    match facts.parent {
        Some((Kind::Class | Kind::Struct, _)) => {
            ["public", "protected", "internal"].iter().any(|word| facts.says(word))
        }
        _ => !facts.says("private"),
    }
}
