//! Protocol Buffers.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["proto"],
    comment_syntax: CommentSyntax::PLAIN_SLASHES,
    member_contexts: &[("message X {", "}"), ("enum X {", "}"), ("service X {", "}")],
    ..LanguageSpec::new("Protocol Buffers", forebay_grammars::PROTO, include_str!("proto.scm"))
};
