//! Python.

use crate::kind::Kind;
use crate::language::{Facts, Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["py", "pyi", "pyw"],
    files: &["sconstruct", "wscript"],
    interpreters: &["python", "python2", "python3", "pypy"],
    public,
    notation: Notation {
        remark: ("# ", ""),
        doc: ("\"\"\"", "\"\"\""),
        doc_inside: true,
        ..Notation::HASH
    },
    vital,
    is_indented: true,
    closer: "\n        pass\n",
    imports: Some(crate::imports::PYTHON),
    ..Table::new("Python", tree_sitter_python::LANGUAGE, include_str!("python.scm"))
};

/// A leading underscore means private, two on both sides do not; `__all__` has the last word.
fn public(facts: &Facts<'_>) -> bool {
    let is_special = facts.name.starts_with("__") && facts.name.ends_with("__");
    match facts.kind {
        Kind::Reexport => facts.exported || facts.name == "*",
        _ => facts.exported || is_special || !facts.name.starts_with('_'),
    }
}

/// Decorators without which a signature says something else.
fn vital(decorator: &str) -> bool {
    const VITAL: &[&str] = &[
        "property",
        "staticmethod",
        "classmethod",
        "overload",
        "abstractmethod",
        "dataclass",
        ".setter",
    ];
    VITAL.iter().any(|word| decorator.contains(word))
}
