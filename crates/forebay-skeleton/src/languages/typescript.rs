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

/// Spells what this grammar does not know so that it does: `in` and `out` before type parameters
/// become blanks, and a signature that only its line parts from the one before it gets a semicolon.
fn masked(source: &str) -> Option<String> {
    let mut copy = without_variance(source);
    for at in unparted_signatures(source) {
        copy.get_or_insert_with(|| source.to_owned()).replace_range(at..=at, ";");
    }
    copy
}

/// JSX starts lines like signatures.
pub(super) fn without_variance(source: &str) -> Option<String> {
    let mut copy: Option<String> = None;
    for word in ["out ", "in "] {
        for (at, _) in source.match_indices(word) {
            let before = copy.as_deref().unwrap_or(source);
            if is_variance(&before[..at], &source[at + word.len()..]) {
                let copy = copy.get_or_insert_with(|| source.to_owned());
                copy.replace_range(at..at + word.len(), &"    "[..word.len()]);
            }
        }
    }
    copy
}

/// The blanks before signatures `<A>(a: A): B` that stand below something complete.
fn unparted_signatures(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut start, mut last) = (0, "");
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_signature = text.starts_with('<') && (text.contains('(') || text.ends_with(['<', ',']));
        if is_signature && line[..indent].ends_with([' ', '\t']) && is_complete(last) {
            found.push(start + indent - 1);
        }
        if !text.is_empty() && !["//", "/*", "*"].iter().any(|mark| text.starts_with(mark)) {
            last = text;
        }
        start += line.len();
    }
    found
}

/// Whether a line may be the last one of a type.
fn is_complete(line: &str) -> bool {
    let ends = |c: char| c.is_alphanumeric() || "_>)]}\"'`".contains(c);
    line.ends_with(ends) && !line.ends_with("=>")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(masked(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn variance_becomes_blank() {
        check("interface A<out B, in C> {}", "interface A<    B,    C> {}");
        check("for (const a in B) {}", "for (const a in B) {}");
    }

    #[test]
    fn signatures_are_parted() {
        check("type A = {\n  <B>(b: B): B[]\n  <C>(c: C): C\n}", "type A = {\n  <B>(b: B): B[]\n ;<C>(c: C): C\n}");
        check("x: {\n  (): A<B>\n\n  /** Docs. */\n  <\n    C\n  >(): C\n}", "x: {\n  (): A<B>\n\n  /** Docs. */\n ;<\n    C\n  >(): C\n}");
        check("f: () =>\n  <A>(a: A) => A", "f: () =>\n  <A>(a: A) => A");
        check("const a =\n  <B>(b)", "const a =\n  <B>(b)");
        check("a: B\n\u{3000}<C>(c)", "a: B\n\u{3000}<C>(c)");
    }
}
