//! Identifiers use the vocabulary of the field, not words that this project once made up.
//!
//! Comments and string literals are not checked, so SQL, JSON keys and texts keep their words.

use super::Rule;
use super::rust_code::{identifiers, without_comments_and_literals};
use crate::workspace::Source;

pub(super) const NOT_USED: Rule = Rule {
    name: "no identifier uses a retired word",
    reason: "An idea with a name in textbooks, crates or RFCs has that name here too.",
    check: |codebase| {
        let sources = codebase.rust_sources().filter(|source| !source.path.contains("/samples/"));
        Ok(sources.flat_map(violations).collect())
    },
};

/// Words that are no part of an identifier, each with its replacement.
const WORDS: &[(&str, &str)] = &[
    ("carry_out", "run, apply"),
    ("files_at_work", "working_set"),
    ("foremost", "top_k"),
    ("gathered", "candidates"),
    ("gathering", "candidates"),
    ("headcount", "pid_limit"),
    ("in_turn", "single_flight"),
    ("inlet", "fifo"),
    ("lately", "cache, recent"),
    ("meanings", "embeddings"),
    ("nature", "effect"),
    ("nearness", "similarity"),
    ("newborn", "restrictions"),
    ("passage", "chunk"),
    ("passages", "chunks"),
    ("patience", "timeout"),
    ("slip", "typo"),
    ("slips", "typos"),
    ("unattended", "is_ci"),
    ("who_asks", "caller"),
    ("word_gone", "tombstone"),
];

/// First words of constants, each with its replacement.
const CONSTANT_PREFIXES: &[(&str, &str)] =
    &[("MOST", "MAX"), ("FEWEST", "MIN"), ("LEAST", "MIN"), ("LONGEST", "MAX"), ("ENOUGH", "MIN")];

/// Names that say too little for a type.
const TYPES: &[&str] = &[
    "Adopted",
    "Announced",
    "Asked",
    "Desk",
    "Foremost",
    "Found",
    "Gathered",
    "Held",
    "InTurn",
    "Kept",
    "Known",
    "Lately",
    "Meanings",
    "Outdated",
    "Part",
    "Place",
    "Placed",
    "Reading",
    "Renewed",
    "Said",
    "Seen",
    "Spot",
    "Stage",
    "Standing",
    "Told",
    "Together",
    "Wanted",
    "Written",
];

/// Names that say too little for a function.
const FUNCTIONS: &[&str] =
    &["at", "bear", "keep", "meant", "of", "say", "settle", "stands", "tell", "told", "who"];

/// Identifiers that may contain a retired word, each with the reason.
const ALLOWED: &[(&str, &str)] =
    &[("passage_prefix", "a setting's key, which stays as it was published")];

fn violations(source: &Source) -> Vec<String> {
    let code = without_comments_and_literals(&source.text);
    let mut previous = "";
    let mut violations = Vec::new();
    for (line, identifier) in identifiers(&code) {
        let is_allowed = ALLOWED.iter().any(|(allowed, _)| *allowed == identifier);
        let found = retired(identifier).or_else(|| unspecific(previous, identifier));
        if let Some(advice) = found.filter(|_| !is_allowed) {
            violations.push(format!("{}:{line}: `{identifier}`: {advice}", source.path));
        }
        previous = identifier;
    }
    violations
}

/// Returns what to use in place of a retired word in an identifier.
fn retired(identifier: &str) -> Option<String> {
    let first = identifier.split('_').next().unwrap_or_default();
    let prefix = CONSTANT_PREFIXES.iter().find(|(prefix, _)| *prefix == first);
    if let Some((_, replacement)) = prefix {
        return Some(format!("use `{replacement}_...`"));
    }
    let segments = format!("_{}_", snake_case(identifier));
    let word = WORDS.iter().find(|(word, _)| segments.contains(&format!("_{word}_")));
    word.map(|(word, replacement)| format!("`{word}` is retired; use {replacement}"))
}

/// Returns why a name is too unspecific for what the keyword before it defines.
fn unspecific(keyword: &str, identifier: &str) -> Option<String> {
    let names = match keyword {
        "struct" | "enum" | "trait" | "type" => TYPES,
        "fn" => FUNCTIONS,
        _ => return None,
    };
    names.contains(&identifier).then(|| format!("too unspecific a name for a {keyword}"))
}

/// Converts `CamelCase`, `SCREAMING_CASE` and `snake_case` to snake case.
fn snake_case(identifier: &str) -> String {
    let mut snake = String::with_capacity(identifier.len() + 4);
    let mut was_lower = false;
    for c in identifier.chars() {
        if c.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        snake.extend(c.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::super::Codebase;
    use super::super::tests::assert_finds;
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let codebase = Codebase::with_files(&[("xtask/src/a.rs", code)]);
        assert_finds(&NOT_USED, &codebase, expected);
    }

    #[test]
    fn finds_words_in_every_case() {
        check(
            "fn carry_out() {}",
            &["xtask/src/a.rs:1: `carry_out`: `carry_out` is retired; use run, apply"],
        );
        check(
            "struct X;\nconst LOCK_PATIENCE: u8 = 1;",
            &["xtask/src/a.rs:2: `LOCK_PATIENCE`: `patience` is retired; use timeout"],
        );
        check(
            "let x = NewPassage;",
            &["xtask/src/a.rs:1: `NewPassage`: `passage` is retired; use chunk"],
        );
    }

    #[test]
    fn finds_constants_by_their_first_word() {
        check("const MOST_LINES: u8 = 1;", &["xtask/src/a.rs:1: `MOST_LINES`: use `MAX_...`"]);
        check("fn at_most(least: u8) { row.almost() }", &[]);
    }

    #[test]
    fn finds_unspecific_definitions_but_not_uses() {
        check("enum Place { A }", &["xtask/src/a.rs:1: `Place`: too unspecific a name for a enum"]);
        check("fn of(x: X) {}", &["xtask/src/a.rs:1: `of`: too unspecific a name for a fn"]);
        check("let x = std::fmt::of(1);", &[]);
    }

    #[test]
    fn comments_and_strings_may_use_every_word() {
        check("// passage\nlet x = \"SELECT passage\"; /* slip */", &[]);
    }

    #[test]
    fn parts_of_words_are_no_words() {
        check(
            "let x = slipstream + passages_by.signature;",
            &["xtask/src/a.rs:1: `passages_by`: `passages` is retired; use chunks"],
        );
        check("let x = slipstream + signature;", &[]);
    }

    #[test]
    fn every_exception_has_a_reason() {
        assert!(ALLOWED.iter().all(|(_, reason)| !reason.is_empty()));
    }
}
