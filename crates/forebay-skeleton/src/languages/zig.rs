//! Zig.

use crate::language::{CommentSyntax, LanguageSpec};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["zig"],
    is_public: |context| {
        context.kind == SymbolKind::Field
            || context.has_modifier("pub")
            || context.has_modifier("export")
    },
    comment_syntax: CommentSyntax {
        doc: ("/// ", ""),
        module_doc_prefixes: &["//!"],
        ..CommentSyntax::SLASHES
    },
    member_contexts: &[("const X = struct {", "};"), ("const X = enum {", "};")],
    closer: "};",
    normalize,
    ..LanguageSpec::new("Zig", forebay_grammars::ZIG, include_str!("zig.scm"))
};

/// Replaces empty containers by a value: the grammar requires members.
fn normalize(source: &str) -> Option<String> {
    const EMPTY: &[&str] = &["opaque {}", "struct {}"];
    let is_there = EMPTY.iter().any(|word| source.contains(word));
    is_there
        .then(|| EMPTY.iter().fold(source.to_owned(), |text, word| text.replace(word, "undefined")))
}
