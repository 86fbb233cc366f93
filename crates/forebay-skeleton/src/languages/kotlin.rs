//! Kotlin.

use super::masking::{closing, respelled};
use crate::language::Table;

pub(super) const TABLE: Table = Table {
    extensions: &["kt", "kts"],
    public: |facts| !facts.says("private"),
    masked,
    member_blocks: &[("class X {", "}"), ("enum class X {", "}")],
    ..Table::new("Kotlin", tree_sitter_kotlin_ng::LANGUAGE, include_str!("kotlin.scm"))
};

/// Ends the last line, and what is declared last in a block on one line.
fn masked(source: &str) -> Option<String> {
    let mut copy = respelled(source, ends_in_line(source).into_iter().map(|at| (at..at + 1, ";")));
    // The grammar's scanner looks for the end of an annotation's line without regard for the end of the
    // text, for ever: every text ends with a line.
    if !source.ends_with('\n') {
        copy.get_or_insert_with(|| source.to_owned()).push('\n');
    }
    copy
}

/// The blanks before brackets that close a block of declarations on the line it opens on: in the bodies of
/// enums and their entries, this grammar lets only a line or a semicolon end a declaration.
fn ends_in_line(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        for (open, _) in line.match_indices('{') {
            let Some(close) = closing(&line[open..], *b"{}").map(|close| open + close) else {
                break;
            };
            let inside = &line[open + 1..close];
            let is_in_text = line[..open].ends_with('$');
            if inside.ends_with(' ') && !is_in_text && inside.split(';').any(declares) {
                found.push(start + close - 1);
            }
        }
        start += line.len();
    }
    found
}

/// Whether a text begins with a declaration.
fn declares(text: &str) -> bool {
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
        assert_eq!(masked(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn declarations_on_one_line_are_ended() {
        check("A { override fun b() = 1 },\n", "A { override fun b() = 1;},\n");
        check("A { fun b() { c() } }\n", "A { fun b() { c() };}\n");
        check("a { b -> \"${ val }\" }\n", "a { b -> \"${ val }\" }\n");
        check("{ A, B; fun c() = 1 }\n", "{ A, B; fun c() = 1;}\n");
        check("A { fun b() = 1}\n", "A { fun b() = 1}\n");
    }

    #[test]
    fn the_last_line_is_ended() {
        check("fun a() = 1", "fun a() = 1\n");
    }
}
