//! TypeScript.

use std::ops::Range;

use super::javascript::{self, is_public};
use crate::language::LanguageSpec;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["ts", "mts", "cts"],
    is_public,
    plain_name,
    member_contexts: &[("class X {", "}"), ("interface X {", "}"), ("enum X {", "}")],
    normalize,
    imports: Some(crate::imports::JAVASCRIPT),
    ..LanguageSpec::new("TypeScript", forebay_grammars::TYPESCRIPT, QUERY)
};

/// TSX uses it, too.
pub(super) const QUERY: &str =
    concat!(include_str!("exported_object.scm"), "\n", include_str!("typescript.scm"));

/// As `normalize_tsx`, and adds semicolons between call signatures that only a newline separates.
fn normalize(source: &str) -> Option<String> {
    let mut copy = normalize_tsx(source);
    for at in unseparated_signatures(source) {
        copy.get_or_insert_with(|| source.to_owned()).replace_range(at..=at, ";");
    }
    copy
}

/// Rewrites syntax that the grammar does not support: blanks the variance modifiers `in` and `out`, replaces import
/// types with arguments and escaped backticks, and names anonymous function declarations.
///
/// Call signatures are excluded because lines of JSX look the same.
pub(super) fn normalize_tsx(source: &str) -> Option<String> {
    let mut copy = blank_variance(source);
    for range in imports_with_arguments(source) {
        let name = "_".repeat(range.len());
        copy.get_or_insert_with(|| source.to_owned()).replace_range(range, &name);
    }
    for at in escaped_backticks(source) {
        copy.get_or_insert_with(|| source.to_owned()).replace_range(at..at + 2, "__");
    }
    for start in anonymous_functions(source) {
        let range = start..start + ANONYMOUS.len();
        copy.get_or_insert_with(|| source.to_owned()).replace_range(range, NAMED);
    }
    copy
}

const ANONYMOUS: &str = "export default function";
/// The placeholder name is what the query captures in place of `function`.
const NAMED: &str = "function       ________";

fn plain_name(captured: &str) -> String {
    if captured == "function" { "default".to_owned() } else { javascript::plain_name(captured) }
}

fn blank_variance(source: &str) -> Option<String> {
    let mut copy: Option<String> = None;
    // Both may occur, in this order.
    for word in ["in ", "out "] {
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

/// Finds `import("./a")` in types like `import("./a").B<C>`.
fn imports_with_arguments(source: &str) -> impl Iterator<Item = Range<usize>> {
    source.match_indices("import(").filter_map(|(start, word)| {
        let path = &source[start + word.len()..];
        let quote = path.chars().next().filter(|first| ['"', '\''].contains(first))?;
        let close = path[1..].find(quote)? + 2;
        let name = path[close..].strip_prefix(").")?;
        let rest = name.trim_start_matches(|c: char| c.is_alphanumeric() || "_$.".contains(c));
        (rest.len() < name.len() && rest.starts_with('<'))
            .then(|| start..start + word.len() + close + 1)
    })
}

/// Finds escaped backticks, which the grammar supports in template literals but not in types.
fn escaped_backticks(source: &str) -> impl Iterator<Item = usize> {
    let is_escape = |at: &usize| {
        let before = source.as_bytes()[..*at].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    };
    source.match_indices("\\`").map(|(at, _)| at).filter(is_escape)
}

/// Finds exported functions without name and body; the grammar supports those with a body.
fn anonymous_functions(source: &str) -> impl Iterator<Item = usize> {
    source.match_indices(ANONYMOUS).filter_map(|(start, _)| {
        let rest = source[start + ANONYMOUS.len()..].lines().next()?.trim();
        let is_anonymous = rest.starts_with(['(', '<']);
        (is_anonymous && (rest.ends_with(';') || rest.ends_with("): {"))).then_some(start)
    })
}

/// Finds the space before each signature `<A>(a: A): B` that follows a complete one.
fn unseparated_signatures(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut start, mut last) = (0, "");
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_signature =
            text.starts_with('<') && (text.contains('(') || text.ends_with(['<', ',']));
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

/// Returns whether a type may end with this line.
fn is_complete(line: &str) -> bool {
    let ends = |c: char| c.is_alphanumeric() || "_>)]}\"'`".contains(c);
    line.ends_with(ends) && !line.ends_with("=>")
}

/// Returns whether a word is between the start or comma of a list and a type parameter.
fn is_variance(before: &str, after: &str) -> bool {
    let is_separate = before.ends_with(char::is_whitespace) || before.ends_with('<');
    let mut before = before.trim_end();
    // Skips comments between them.
    while let Some(comment) = before.strip_suffix("*/").and_then(|text| text.rfind("/*")) {
        before = before[..comment].trim_end();
    }
    let opens = is_separate && before.ends_with(['<', ',']);
    let after = after.trim_start();
    let names = after.starts_with(char::is_uppercase) || after.starts_with("out ");
    opens && names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(normalize(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn blanks_variance_annotations() {
        check("interface A<out B, in C> {}", "interface A<    B,    C> {}");
        check("interface A<in out B> {}", "interface A<       B> {}");
        check("for (const a in B) {}", "for (const a in B) {}");
    }

    #[test]
    fn replaces_import_types_with_arguments() {
        check("a: import('./b').C<D>", "a: _____________.C<D>");
        check("a: import('./b').C", "a: import('./b').C");
        check("await import('./b').then(c)", "await import('./b').then(c)");
        check("import('./b", "import('./b");
    }

    #[test]
    fn replaces_escaped_backticks() {
        check(r"type A = `\`b\``", "type A = `__b__`");
        check(r"const a = `\\`", r"const a = `\\`");
    }

    #[test]
    fn names_anonymous_function_declarations() {
        check("export default function (): A;", "function       ________ (): A;");
        check("export default function<A>(): {\n}", "function       ________<A>(): {\n}");
        check("export default function () {\n}", "export default function () {\n}");
        check("export default function a(): A;", "export default function a(): A;");
    }

    #[test]
    fn separates_call_signatures() {
        check(
            "type A = {\n  <B>(b: B): B[]\n  <C>(c: C): C\n}",
            "type A = {\n  <B>(b: B): B[]\n ;<C>(c: C): C\n}",
        );
        check(
            "x: {\n  (): A<B>\n\n  /** Docs. */\n  <\n    C\n  >(): C\n}",
            "x: {\n  (): A<B>\n\n  /** Docs. */\n ;<\n    C\n  >(): C\n}",
        );
        check("f: () =>\n  <A>(a: A) => A", "f: () =>\n  <A>(a: A) => A");
        check("const a =\n  <B>(b)", "const a =\n  <B>(b)");
        check("a: B\n\u{3000}<C>(c)", "a: B\n\u{3000}<C>(c)");
    }
}
