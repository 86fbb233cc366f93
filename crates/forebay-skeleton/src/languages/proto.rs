//! Protocol Buffers.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["proto"],
    notation: Notation::PLAIN_SLASHES,
    member_blocks: &[("message X {", "}"), ("enum X {", "}"), ("service X {", "}")],
    ..Table::new("Protocol Buffers", tree_sitter_proto::LANGUAGE, include_str!("proto.scm"))
};
