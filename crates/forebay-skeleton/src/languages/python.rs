//! Python.

use crate::language::{CommentSyntax, LanguageSpec, VisibilityContext};
use crate::symbol_kind::SymbolKind;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["py", "pyi", "pyw"],
    file_names: &["sconstruct", "wscript"],
    interpreters: &["python", "python2", "python3", "pypy"],
    is_public,
    comment_syntax: CommentSyntax {
        comment: ("# ", ""),
        doc: ("\"\"\"", "\"\"\""),
        doc_in_body: true,
        ..CommentSyntax::HASH
    },
    is_essential_attribute,
    is_indented: true,
    closer: "\n        pass\n",
    imports: Some(crate::imports::PYTHON),
    ..LanguageSpec::new("Python", forebay_grammars::PYTHON, include_str!("python.scm"))
};

/// A leading underscore means private, except in dunder names; `__all__` overrides both.
fn is_public(context: &VisibilityContext<'_>) -> bool {
    let is_special = context.name.starts_with("__") && context.name.ends_with("__");
    match context.kind {
        SymbolKind::Reexport => context.is_exported || context.name == "*",
        _ => context.is_exported || is_special || !context.name.starts_with('_'),
    }
}

/// Decorators that change how a signature is to be read.
fn is_essential_attribute(decorator: &str) -> bool {
    const ESSENTIAL: &[&str] = &[
        "property",
        "staticmethod",
        "classmethod",
        "overload",
        "abstractmethod",
        "dataclass",
        ".setter",
    ];
    ESSENTIAL.iter().any(|word| decorator.contains(word))
}
