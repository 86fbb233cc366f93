//! TypeScript.

use super::javascript::{name_of, public};
use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["ts", "mts", "cts"],
    public,
    name_of,
    member_blocks: &[("class X {", "}"), ("interface X {", "}"), ("enum X {", "}")],
    masked,
    imports: Some(crate::imports::SCRIPT),
    ..Table::new("TypeScript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, QUERY)
};

/// TSX shares it.
pub(super) const QUERY: &str = include_str!("typescript.scm");

/// Blanks `in` and `out` before type parameters, which this grammar does not know.
fn masked(source: &str) -> Option<String> {
    let mut copy = source.to_owned();
    for word in ["out ", "in "] {
        for (at, _) in source.match_indices(word) {
            if is_variance(&copy[..at], &source[at + word.len()..]) {
                copy.replace_range(at..at + word.len(), &" ".repeat(word.len()));
            }
        }
    }
    (copy != source).then_some(copy)
}

/// Whether a word stands between a list's opening or comma and a type parameter.
fn is_variance(before: &str, after: &str) -> bool {
    let is_apart = before.ends_with(char::is_whitespace) || before.ends_with('<');
    let mut before = before.trim_end();
    // A comment may stand between.
    while let Some(comment) = before.strip_suffix("*/").and_then(|text| text.rfind("/*")) {
        before = before[..comment].trim_end();
    }
    let opens = is_apart && before.ends_with(['<', ',']);
    let after = after.trim_start();
    let names = after.starts_with(char::is_uppercase) || after.starts_with("out ");
    opens && names
}
