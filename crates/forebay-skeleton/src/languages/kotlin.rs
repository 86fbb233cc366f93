//! Kotlin.

use super::overwrite::{matching_bracket, overwrite};
use crate::language::LanguageSpec;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["kt", "kts"],
    is_public: |context| !context.has_modifier("private"),
    normalize,
    member_contexts: &[("class X {", "}"), ("enum class X {", "}")],
    ..LanguageSpec::new("Kotlin", forebay_grammars::KOTLIN, include_str!("kotlin.scm"))
};

/// Terminates the last line, and the last declaration of a block on one line.
fn normalize(source: &str) -> Option<String> {
    let mut copy =
        overwrite(source, single_line_block_ends(source).into_iter().map(|at| (at..at + 1, ";")));
    // The scanner of the grammar loops forever on an annotation at the end of a text without a final newline.
    if !source.ends_with('\n') {
        copy.get_or_insert_with(|| source.to_owned()).push('\n');
    }
    copy
}

/// Finds the spaces before braces that close a block of declarations on one line. In the bodies of enums and their
/// entries, the grammar requires a newline or semicolon after a declaration.
fn single_line_block_ends(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        for (open, _) in line.match_indices('{') {
            let Some(close) = matching_bracket(&line[open..], *b"{}").map(|close| open + close)
            else {
                break;
            };
            let inside = &line[open + 1..close];
            let is_in_string = line[..open].ends_with('$');
            if inside.ends_with(' ')
                && !is_in_string
                && inside.split(';').any(starts_with_declaration)
            {
                found.push(start + close - 1);
            }
        }
        start += line.len();
    }
    found
}

/// Returns whether a text starts with a declaration.
fn starts_with_declaration(text: &str) -> bool {
    const WORDS: &[&str] =
        &["abstract", "fun", "internal", "open", "override", "private", "protected", "val", "var"];
    let word = text.trim_start().split(' ').next().unwrap_or_default();
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(normalize(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn terminates_declarations_on_one_line() {
        check("A { override fun b() = 1 },\n", "A { override fun b() = 1;},\n");
        check("A { fun b() { c() } }\n", "A { fun b() { c() };}\n");
        check("a { b -> \"${ val }\" }\n", "a { b -> \"${ val }\" }\n");
        check("{ A, B; fun c() = 1 }\n", "{ A, B; fun c() = 1;}\n");
        check("A { fun b() = 1}\n", "A { fun b() = 1}\n");
    }

    #[test]
    fn terminates_the_last_line() {
        check("fun a() = 1", "fun a() = 1\n");
    }
}
