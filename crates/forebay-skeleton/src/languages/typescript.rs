//! TypeScript.

use std::ops::Range;

use super::javascript::{self, public};
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
pub(super) const QUERY: &str =
    concat!(include_str!("exported_object.scm"), "\n", include_str!("typescript.scm"));

/// Spells what this grammar does not know so that it does: as `respelled`, and a signature that only its
/// line parts from the one before it gets a semicolon.
fn masked(source: &str) -> Option<String> {
    let mut copy = respelled(source);
    for at in unparted_signatures(source) {
        copy.get_or_insert_with(|| source.to_owned()).replace_range(at..=at, ";");
    }
    copy
}

/// `in` and `out` before type parameters become blanks, and imports within types become names, as does the
/// `function` of an export without one; backticks that close nothing go. JSX starts lines like signatures, so those are not looked for here.
pub(super) fn respelled(source: &str) -> Option<String> {
    let mut copy = without_variance(source);
    for range in imports_with_arguments(source) {
        let name = "_".repeat(range.len());
        copy.get_or_insert_with(|| source.to_owned()).replace_range(range, &name);
    }
    for at in escaped_backticks(source) {
        copy.get_or_insert_with(|| source.to_owned()).replace_range(at..at + 2, "__");
    }
    for start in nameless_functions(source) {
        let range = start..start + NAMELESS.len();
        copy.get_or_insert_with(|| source.to_owned()).replace_range(range, NAMED);
    }
    copy
}

const NAMELESS: &str = "export default function";
/// The name stands where `function` stood, and is read there.
const NAMED: &str = "function       ________";

fn name_of(captured: &str) -> String {
    if captured == "function" { "default".to_owned() } else { javascript::name_of(captured) }
}

fn without_variance(source: &str) -> Option<String> {
    let mut copy: Option<String> = None;
    // Both may stand there, in this order.
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

/// Where `import("./a")` stands in types like `import("./a").B<C>`.
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

/// Escapes before backticks, which are known in texts but not in types.
fn escaped_backticks(source: &str) -> impl Iterator<Item = usize> {
    let is_escape = |at: &usize| {
        let before = source.as_bytes()[..*at].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    };
    source.match_indices("\\`").map(|(at, _)| at).filter(is_escape)
}

/// Where functions without name and body are exported, as in declarations; those with a body are known.
fn nameless_functions(source: &str) -> impl Iterator<Item = usize> {
    source.match_indices(NAMELESS).filter_map(|(start, _)| {
        let rest = source[start + NAMELESS.len()..].lines().next()?.trim();
        let is_nameless = rest.starts_with(['(', '<']);
        (is_nameless && (rest.ends_with(';') || rest.ends_with("): {"))).then_some(start)
    })
}

/// The blanks before signatures `<A>(a: A): B` that stand below something complete.
fn unparted_signatures(source: &str) -> Vec<usize> {
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
        check("interface A<in out B> {}", "interface A<       B> {}");
        check("for (const a in B) {}", "for (const a in B) {}");
    }

    #[test]
    fn imports_with_arguments_become_names() {
        check("a: import('./b').C<D>", "a: _____________.C<D>");
        check("a: import('./b').C", "a: import('./b').C");
        check("await import('./b').then(c)", "await import('./b').then(c)");
        check("import('./b", "import('./b");
    }

    #[test]
    fn escaped_backticks_go() {
        check(r"type A = `\`b\``", "type A = `__b__`");
        check(r"const a = `\\`", r"const a = `\\`");
    }

    #[test]
    fn functions_without_name_and_body_get_a_name() {
        check("export default function (): A;", "function       ________ (): A;");
        check("export default function<A>(): {\n}", "function       ________<A>(): {\n}");
        check("export default function () {\n}", "export default function () {\n}");
        check("export default function a(): A;", "export default function a(): A;");
    }

    #[test]
    fn signatures_are_parted() {
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
